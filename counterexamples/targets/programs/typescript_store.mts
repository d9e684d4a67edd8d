// The task store of the MCP TypeScript SDK 1.x behind a server of that SDK, as a driver: it speaks the protocol of
// docs/reference/driver-protocol.md. Run it with the folder in which the SDK is installed:
//
//     node --import tsx typescript_store.mts FOLDER
//
// Its clock is that of node's mock timers, which moves when it is told to. A principal is a session; tasks/get,
// tasks/cancel and tasks/list go through the SDK's own handlers, over its transport in memory.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';

import type * as Memory from '@modelcontextprotocol/sdk/inMemory.js';
import type * as Servers from '@modelcontextprotocol/sdk/server/index.js';
import type * as Stores from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';

// What latchcheck writes, and what it may be told.
interface Asked {
    id: number;
    do: 'hello' | 'open' | 'event' | 'close';
    event?: string;
    task?: string | null;
    by?: string;
    args?: { ttl_ms?: number; tenant?: number; status?: string; to_ms?: number };
}
interface Answer {
    refused?: boolean;
    why?: string;
    status?: string;
    tasks?: string[];
}
interface Told {
    error?: { code: number };
    result?: { status: string; tasks: { taskId: string }[] };
}
type Written = 'completed' | 'failed' | 'cancelled';
// Thrown for what there is no way to do: the fixture is then not applicable.
class Cannot extends Error {}

const VERSION = 1;
const table = JSON.parse(readFileSync(new URL('./typescript_store.table.json', import.meta.url), 'utf8'));
const require = createRequire(join(process.argv[2], 'package.json'));
const load = (path: string) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { InMemoryTaskStore }: typeof Stores = await load('experimental/tasks/stores/in-memory.js');
const { Server }: typeof Servers = await load('server/index.js');
const { InMemoryTransport }: typeof Memory = await load('inMemory.js');

const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } }, tools: {} };

interface Peer {
    ours: Memory.InMemoryTransport;
    waiting: Map<number, (told: Told) => void>;
}

// One store with its tasks, from no tasks on.
class Session {
    private store = new InMemoryTaskStore();
    private ids = new Map<string, { id: string; tenant: number }>();
    private peers = new Map<number, Peer>();
    private taken = new Set<string>();
    private count = 0;

    // What each event is done by; what is not here cannot be done.
    readonly events: Record<string, (asked: Asked) => Promise<Answer>> = {
        create: asked => this.create(asked),
        dispatch: asked => this.dispatch(asked),
        worker_write: asked => this.write(asked),
        get: asked => this.get(asked),
        cancel: asked => this.cancel(asked),
        list: asked => this.list(asked),
        advance_clock: asked => this.advance(asked),
        reap: async () => ({}), // each task has a timer of its own, so that there is nothing to sweep
        restart_server: () => this.restart()
    };

    async perform(asked: Asked): Promise<Answer> {
        const event = this.events[asked.event ?? ''];
        if (!event) {
            throw new Cannot(`it has no ${asked.event}`);
        }
        try {
            return await event(asked);
        } catch (refused) {
            if (refused instanceof Cannot) {
                throw refused;
            }
            return { refused: true, why: refused instanceof Error ? refused.message : String(refused) };
        }
    }

    // The end of a connection of one principal, behind which a server of the SDK answers with the shared store.
    private async peer(tenant: number): Promise<Peer> {
        let found = this.peers.get(tenant);
        if (!found) {
            const server = new Server({ name: 'latchcheck-typescript', version: '1' }, { capabilities, taskStore: this.store });
            const [ours, theirs] = InMemoryTransport.createLinkedPair();
            theirs.sessionId = `p${tenant}`;
            const waiting = new Map<number, (told: Told) => void>();
            ours.onmessage = message => waiting.get((message as { id: number }).id)?.(message as Told);
            await server.connect(theirs);
            await ours.start();
            found = { ours, waiting };
            this.peers.set(tenant, found);
        }
        return found;
    }

    private async ask(asked: Asked, method: string, params: Record<string, unknown>): Promise<Told> {
        const { ours, waiting } = await this.peer(asked.args?.tenant ?? this.ids.get(asked.task ?? '')?.tenant ?? 1);
        const id = ++this.count;
        const answered = new Promise<Told>(resolve => waiting.set(id, resolve));
        await ours.send({ jsonrpc: '2.0', id, method, params });
        return await answered;
    }

    // The store's own id of a label.
    private id(asked: Asked): string {
        return this.ids.get(asked.task ?? '')?.id ?? asked.task ?? '';
    }

    private async create(asked: Asked): Promise<Answer> {
        const tenant = asked.args?.tenant ?? 1;
        const request = { method: 'tools/call', params: { name: 'work' } };
        const task = await this.store.createTask({ ttl: asked.args?.ttl_ms }, ++this.count, request, `p${tenant}`);
        this.ids.set(asked.task ?? '', { id: task.taskId, tenant });
        return { status: task.status };
    }

    private async dispatch(asked: Asked): Promise<Answer> {
        if (this.taken.has(asked.task ?? '')) {
            throw new Cannot('the store hands work to nobody, so that nothing is delivered again');
        }
        const task = await this.store.getTask(this.id(asked));
        if (task) {
            this.taken.add(asked.task ?? '');
        }
        return task ? { status: task.status } : { refused: true, status: 'gone' };
    }

    private async write(asked: Asked): Promise<Answer> {
        const status = asked.args?.status as Written;
        if (status === 'cancelled') {
            await this.store.updateTaskStatus(this.id(asked), status);
        } else {
            await this.store.storeTaskResult(this.id(asked), status, { content: [] });
        }
        return {};
    }

    private async get(asked: Asked): Promise<Answer> {
        const told = await this.ask(asked, 'tasks/get', { taskId: this.id(asked) });
        return told.error ? { refused: true, why: String(told.error.code), status: 'gone' } : { status: told.result?.status };
    }

    private async cancel(asked: Asked): Promise<Answer> {
        const told = await this.ask(asked, 'tasks/cancel', { taskId: this.id(asked) });
        return told.error ? { refused: true, why: String(told.error.code) } : {};
    }

    private async list(asked: Asked): Promise<Answer> {
        const told = await this.ask(asked, 'tasks/list', {});
        if (told.error) {
            return { refused: true, why: String(told.error.code) };
        }
        const labels = new Map([...this.ids].map(([label, one]) => [one.id, label]));
        return { tasks: (told.result?.tasks ?? []).map(task => labels.get(task.taskId) ?? 'another') };
    }

    private async advance(asked: Asked): Promise<Answer> {
        mock.timers.tick(Math.max(0, (asked.args?.to_ms ?? 0) - Date.now()));
        return {};
    }

    private async restart(): Promise<Answer> {
        this.store.cleanup();
        this.store = new InMemoryTaskStore();
        this.peers.clear();
        return {};
    }
}

// No tasks, and the clock at zero.
function begin(): Session {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    return new Session();
}

async function told(session: Session | undefined, asked: Asked): Promise<object> {
    if (!session) {
        return { error: 'an event before open' };
    }
    try {
        return { answer: await session.perform(asked) };
    } catch (why) {
        if (why instanceof Cannot) {
            return { cannot: why.message };
        }
        throw why;
    }
}

let session: Session | undefined;
for await (const line of createInterface({ input: process.stdin })) {
    const asked: Asked = JSON.parse(line);
    let reply: object = {};
    if (asked.do === 'hello') {
        reply = { latchcheck: VERSION, ...table };
    } else if (asked.do === 'open') {
        session = begin();
    } else if (asked.do === 'event') {
        reply = await told(session, asked);
    }
    process.stdout.write(`${JSON.stringify({ id: asked.id, ...reply })}\n`);
    if (asked.do === 'close') {
        process.exit(0);
    }
}
