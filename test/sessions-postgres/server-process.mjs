// One of several processes that serve the sessions of one database over HTTP. Prints its address when it is ready.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { isToolgenError, Runtime, tool, toolset } from '@toolgen/runtime'
import { listenWith, postgresStore } from '@toolgen/runtime/postgres'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import pg from 'pg'

const { url, schema, leaseMs } = JSON.parse(process.argv[2])
const user = { userId: 'u-1', namespaces: ['works'] }

// A clock that tests set: the database's clock is the only one that may decide.
const clocks = [Date, performance].map((clock) => ({ clock, now: clock.now.bind(clock) }))
let offsetMs = 0
for (const { clock, now } of clocks) clock.now = () => now() + offsetMs

const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 8 })
pool.on('error', () => undefined)
const query = (sql, values) => pool.query(sql, values)

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => {
      if (!isToolgenError(error, 'SessionError')) return [500, { error: String(error.stack) }]
      return [409, { code: error.code, owner: error.owner, message: error.message }]
    })
    // A client that uses an idle connection again can meet the end of its keep-alive time.
    .then(([status, body]) => response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body)))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${server.address().port}`

const named = { type: 'object', properties: { call: { type: 'string' } }, required: ['call'] }

/** Counts the effect outside of the process. */
const act = async (call) => {
  await query('insert into effects (call, process) values ($1, $2)', [call, address])
  return call
}

const untilAborted = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const works = toolset(
  'works',
  tool({ name: 'once', description: 'Acts once.', parameters: named, run: ({ call }) => act(call) }),
  tool({ name: 'later', description: 'Acts.', parameters: named, updates: true, run: ({ call }) => act(call) }),
  tool({
    name: 'wait',
    description: 'Acts and never ends.',
    parameters: named,
    run: async ({ call }, { meta }) => {
      await act(call)
      await untilAborted(meta)
    },
  }),
  tool({
    name: 'wait_later',
    description: 'Acts and never ends.',
    parameters: named,
    updates: true,
    run: async ({ call }, { meta }) => {
      await act(call)
      await untilAborted(meta)
    },
  }),
)
const sessions = new SessionRegistry({
  agents: { works: new Runtime().registerToolset(works) },
  store: postgresStore({
    query,
    owner: { address, ...(leaseMs !== undefined && { leaseMs }) },
    subscriptions: { listen: listenWith(() => new pg.Client({ connectionString: url })) },
  }),
})

async function answer(request) {
  const { act, session: id, tool, call, ...options } = JSON.parse(await text(request))
  switch (act) {
    case 'clock':
      offsetMs = options.offsetMs
      return [200, {}]
    case 'open': {
      const session = await sessions.open(id, { ...user, ...options })
      return [200, { entries: session.poll() }]
    }
    case 'call': {
      const session = await sessions.open(id, user)
      return [200, await session.execute({ tool: `works.${tool}`, arguments: JSON.stringify({ call }) })]
    }
    case 'results': {
      const session = await sessions.open(id, user)
      return [200, { pending: session.hasPending(), completed: await session.consumeCompleted() }]
    }
    case 'close':
      await sessions.close(id)
      return [200, {}]
    default:
      return [404, { error: act }]
  }
}

console.log(address)
process.stdin.resume().once('end', () => process.exit())
