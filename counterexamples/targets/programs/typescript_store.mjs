// The task store of the MCP TypeScript SDK 1.x behind a server of that SDK, driven by JSON lines: one call in, one
// answer out. Run it in the folder of the environment: node typescript_store.mjs FOLDER
//
// Its clock is that of node's mock timers, which moves when it is told to. A principal is a session; tasks/get,
// tasks/cancel and tasks/list go through the SDK's own handlers, over its transport in memory.

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));
const load = path => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { InMemoryTaskStore } = await load('experimental/tasks/stores/in-memory.js');
const { Server } = await load('server/index.js');
const { InMemoryTransport } = await load('inMemory.js');

mock.timers.enable({ apis: ['setTimeout', 'Date'] });
const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } }, tools: {} };

class Driver {
    constructor() {
        this.store = new InMemoryTaskStore();
        this.ids = new Map();
        this.peers = new Map();
        this.taken = new Set();
        this.count = 0;
    }

    // The end of a connection of one principal, behind which a server of the SDK answers with the shared store.
    async peer(tenant) {
        if (!this.peers.has(tenant)) {
            const server = new Server({ name: 'latchcheck-typescript', version: '1' }, { capabilities, taskStore: this.store });
            const [ours, theirs] = InMemoryTransport.createLinkedPair();
            theirs.sessionId = `p${tenant}`;
            const waiting = new Map();
            ours.onmessage = message => waiting.get(message.id)?.(message);
            await server.connect(theirs);
            await ours.start();
            this.peers.set(tenant, { ours, waiting });
        }
        return this.peers.get(tenant);
    }

    async ask(call, method, params) {
        const { ours, waiting } = await this.peer(call.args.tenant ?? this.owner(call));
        const id = ++this.count;
        const answered = new Promise(resolve => waiting.set(id, resolve));
        await ours.send({ jsonrpc: '2.0', id, method, params });
        return await answered;
    }

    owner(call) {
        return this.ids.get(call.task)?.tenant ?? 1;
    }

    id(call) {
        return this.ids.get(call.task)?.id ?? call.task;
    }

    async create(call) {
        const tenant = call.args.tenant ?? 1;
        const request = { method: 'tools/call', params: { name: 'work' } };
        const task = await this.store.createTask({ ttl: call.args.ttl_ms }, ++this.count, request, `p${tenant}`);
        this.ids.set(call.task, { id: task.taskId, tenant });
        return { status: task.status };
    }

    async dispatch(call) {
        if (this.taken.has(call.task)) {
            return { cannot: 'the store hands work to nobody, so that nothing is delivered again' };
        }
        const task = await this.store.getTask(this.id(call));
        if (task) {
            this.taken.add(call.task);
        }
        return task ? { status: task.status } : { refused: true, status: 'gone' };
    }

    async worker_write(call) {
        const status = call.args.status;
        if (status === 'cancelled') {
            await this.store.updateTaskStatus(this.id(call), status);
        } else {
            await this.store.storeTaskResult(this.id(call), status, { content: [] });
        }
        return {};
    }

    async get(call) {
        const told = await this.ask(call, 'tasks/get', { taskId: this.id(call) });
        return told.error ? { refused: true, why: String(told.error.code), status: 'gone' } : { status: told.result.status };
    }

    async cancel(call) {
        const told = await this.ask(call, 'tasks/cancel', { taskId: this.id(call) });
        return told.error ? { refused: true, why: String(told.error.code) } : {};
    }

    async list(call) {
        const told = await this.ask(call, 'tasks/list', {});
        if (told.error) {
            return { refused: true, why: String(told.error.code) };
        }
        const labels = new Map([...this.ids].map(([label, one]) => [one.id, label]));
        return { tasks: told.result.tasks.map(task => labels.get(task.taskId) ?? 'another') };
    }

    async advance_clock(call) {
        mock.timers.tick(Math.max(0, call.args.to_ms - Date.now()));
        return {};
    }

    // Each task has a timer of its own, so that there is nothing to sweep.
    async reap() {
        return {};
    }

    async restart_server() {
        this.store.cleanup();
        this.store = new InMemoryTaskStore();
        this.peers.clear();
        return {};
    }
}

const driver = new Driver();
for await (const line of createInterface({ input: process.stdin })) {
    const call = JSON.parse(line);
    let answer;
    try {
        answer = await driver[call.kind](call);
    } catch (refused) {
        answer = { refused: true, why: String(refused.message ?? refused) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}
