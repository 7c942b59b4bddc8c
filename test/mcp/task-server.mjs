// A server with protocol 2026-07-28 that runs tool calls as tasks. It is written from the specification of the extension, without the SDK.
// The arguments of a call contain the states that the server reports, one for each poll. Run as a program, it serves stdio.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const TASKS = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

export const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
export const working = (statusMessage) => ({ status: 'working', statusMessage })
export const completed = (result) => ({ status: 'completed', result })

export class TaskServer {
  constructor({ hasTasks = true, tasks = {}, requests = [] } = {}) {
    this.hasTasks = hasTasks
    this.tasks = tasks
    this.requests = requests
  }

  /**
   * Returns the fields of the response, `{ fault }` for a response that the transport damages, or `undefined` for no response. The response to a call
   * with `isLate` follows its cancellation, and has its own `id`.
   */
  answer(method, params = {}) {
    this.requests.push({ method, params })
    if (method === 'notifications/cancelled') return this.late && { ...this.late, id: params.requestId }
    if (method === 'server/discover') {
      const capabilities = { tools: {}, ...(this.hasTasks && { extensions: { [TASKS]: {} } }) }
      return complete({ supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' })
    }
    if (method === 'tools/list') {
      const tools = ['run', 'echo'].map((name) => ({ name, inputSchema: { type: 'object' } }))
      return complete({ tools, ttlMs: 0, cacheScope: 'private' })
    }
    const isDeclared = params._meta?.[CAPABILITIES]?.extensions?.[TASKS] !== undefined
    if (method === 'tools/call') {
      const { name, arguments: args } = params
      if (name === 'echo') return args.error === undefined ? complete(args.result) : { error: args.error }
      const { inputRequests, requestState = 'state of the server' } = args
      if (inputRequests !== undefined && params.inputResponses === undefined)
        return { result: { resultType: 'input_required', inputRequests, requestState } }
      if (isDeclared) {
        const created = this.#create(args)
        if (!args.isLate) return created
        this.late = created
        return undefined
      }
    }
    if (!isDeclared) return { error: { code: -32021, message: 'Missing required client capability' } }
    const task = this.tasks[params.taskId]
    if (task === undefined) return { error: { code: -32602, message: 'Task not found' } }
    if (method === 'tasks/cancel') return task.isMute ? undefined : complete({})
    if (method === 'tasks/update') return this.#update(task, params)
    return this.#get(task, params)
  }

  #create({ seed = {}, steps = [], updates = [], isMute = false }) {
    const taskId = `task-${Object.keys(this.tasks).length + 1}`
    this.tasks[taskId] = { steps: [...steps], updates: [...updates], isMute, answers: {} }
    return { result: { resultType: 'task', ...facts(taskId), status: 'working', ...seed } }
  }

  #update(task, { inputResponses }) {
    const step = task.updates.shift()
    if (step !== undefined) return step
    Object.assign(task.answers, inputResponses)
    return complete({})
  }

  /** The last step repeats, and a step with questions repeats until all are answered. */
  #get(task, { taskId }) {
    const [step] = task.steps
    const isAnswered = Object.keys(step.inputRequests ?? {}).every((key) => task.answers[key] !== undefined)
    if (isAnswered && task.steps.length > 1) task.steps.shift()
    if (step.fault !== undefined || step.error?.isResponse) return step
    if (step.inputRequests !== undefined && isAnswered && !step.isLate) return this.#get(task, { taskId })
    if (step.status === 'answers')
      return complete({ ...facts(taskId), ...completed(text(JSON.stringify(task.answers))) })
    return complete({ ...facts(taskId), ...step })
  }
}

const complete = (fields) => ({ result: { resultType: 'complete', ...fields } })

const facts = (taskId) => {
  const now = new Date().toISOString()
  return { taskId, createdAt: now, lastUpdatedAt: now, ttlMs: null, pollIntervalMs: 1 }
}

/** A question with one field. */
export const question = (field, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: `Which ${field}?`,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  },
})

export const asking = (inputRequests) => ({ status: 'input_required', inputRequests })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { STORE } = process.env
  const stored = existsSync(STORE) ? JSON.parse(readFileSync(STORE, 'utf8')) : {}
  const server = new TaskServer(stored)
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line)
    const answer = server.answer(method, params)
    writeFileSync(STORE, JSON.stringify({ tasks: server.tasks, requests: server.requests }))
    if (answer?.fault !== undefined) process.exit(1)
    const message = { jsonrpc: '2.0', id, ...answer }
    if (message.id !== undefined && answer !== undefined) console.log(JSON.stringify(message))
  }
}
