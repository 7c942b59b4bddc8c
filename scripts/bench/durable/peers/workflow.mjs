import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { callsOf, packageVersion } from './script.js'

export const name = `workflow ${packageVersion('workflow')}`

const app = new URL('./workflow-app/', import.meta.url)
const compiled = new URL('.well-known/workflow/v1/', app)

/** Compiles the workflow and creates the tables. */
export async function prepare({ database }) {
  const env = { ...process.env, WORKFLOW_POSTGRES_URL: database }
  const run = (file, ...args) =>
    promisify(execFile)(process.execPath, [new URL(`./node_modules/${file}`, import.meta.url).pathname, ...args], {
      ...{ cwd: app.pathname, env },
    })
  await run('workflow/bin/run.js', 'build')
  await run('@workflow/world-postgres/bin/setup.js')
}

/** Serves the agent in this process. See `contestant-process.mjs`. */
export async function open({ database, effect }) {
  globalThis.contestant = { effect, model: scriptedModel }
  const server = createServer(async (request, response) => {
    const handler = request.url.endsWith('/step') ? step : flow
    const result = await handler.POST(await requestOf(request))
    response.writeHead(result.status, Object.fromEntries(result.headers))
    response.end(Buffer.from(await result.arrayBuffer()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // The compiled workflow loads the package from the working directory.
  process.chdir(app.pathname)
  process.env.WORKFLOW_TARGET_WORLD = '@workflow/world-postgres'
  process.env.WORKFLOW_POSTGRES_URL = database
  process.env.WORKFLOW_LOCAL_BASE_URL = `http://127.0.0.1:${server.address().port}`
  const [flow, step] = await Promise.all(['flow', 'step'].map((file) => import(new URL(`${file}.js`, compiled))))
  const { getHookByToken, getRun, resumeHook, start } = await import('workflow/api')
  const { getWorld } = await import('workflow/runtime')
  // Continues the runs of the previous process.
  await (await getWorld()).start()
  const { workflows } = JSON.parse(readFileSync(new URL('manifest.json', compiled), 'utf8'))
  const workflow = { workflowId: Object.values(workflows)[0].runAgent.workflowId }
  const begin = async (script) => (await start(workflow, [script])).runId
  const finish = async (handle) => {
    const run = getRun(handle)
    // Polls, because `returnValue` reads the status only once a second.
    while (['pending', 'running'].includes(await run.status)) await setTimeout(10)
    return run.returnValue
  }
  return {
    start: (_, script) => begin(script),
    finish,
    async approve(_, script) {
      const handle = await begin(script)
      const [{ argument: token }] = callsOf(script, 0)
      while (!(await getHookByToken(token).catch(() => undefined))) await setTimeout(10)
      return async () => {
        await resumeHook(token, true)
        return finish(handle)
      }
    },
  }
}

async function requestOf(request) {
  const { url, method, headers } = request
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks)
  return new Request(`http://127.0.0.1${url}`, { method, headers, body })
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

const scriptedModel = {
  ...{ specificationVersion: 'v3', provider: 'scripted', modelId: 'scripted', supportedUrls: {} },
  async doStream({ prompt }) {
    const contentOf = (role) => prompt.filter((message) => message.role === role).flatMap(({ content }) => content)
    const script = contentOf('user')[0].text
    const calls = callsOf(script, prompt.filter(({ role }) => role === 'assistant').length)
    const text = contentOf('tool')
      .map(({ output }) => output.value)
      .join(', ')
    const parts =
      calls.length === 0
        ? [
            { type: 'text-start', id: 'text' },
            { type: 'text-delta', id: 'text', delta: text },
            { type: 'text-end', id: 'text' },
          ]
        : calls.map(({ toolCallId, name, argument }) => {
            return { type: 'tool-call', toolCallId, toolName: name, input: JSON.stringify({ id: argument }) }
          })
    const reason = calls.length === 0 ? 'stop' : 'tool-calls'
    const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage }
    return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
  },
}
