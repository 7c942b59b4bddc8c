import { Agent, interceptors, fetch as undiciFetch, request as undiciRequest } from 'undici'
import { describeClient, timedOut } from './client-suite.js'

describeClient(
  'fetch, with the response itself thrown',
  async (url, patience, signal = AbortSignal.timeout(patience)) => {
    const response = await fetch(url, { signal })
    if (!response.ok) throw response
    return response.json()
  },
  { stopping: timedOut, abortable: true },
)

describeClient(
  'fetch, with the response as the cause',
  async (url, patience, signal = AbortSignal.timeout(patience)) => {
    const response = await fetch(url, { signal })
    if (!response.ok) throw new Error(`GET ${url} failed`, { cause: response })
    return response.json()
  },
  { stopping: timedOut, abortable: true },
)

const agent = (patience: number): Agent =>
  new Agent({ headersTimeout: patience, bodyTimeout: patience, connectTimeout: patience })

describeClient(
  "undici's request, with its own time-outs",
  async (url, patience, signal) => {
    const dispatcher = agent(patience).compose(interceptors.responseError())
    const response = await undiciRequest(url, { dispatcher, signal: signal ?? null })
    return response.body.json()
  },
  { stopping: timedOut, abortable: true },
)

describeClient(
  "undici's fetch, with its own time-outs",
  async (url, patience, signal) => {
    const response = await undiciFetch(url, { dispatcher: agent(patience), signal: signal ?? null })
    if (!response.ok) throw response
    return response.json()
  },
  { stopping: timedOut, abortable: true },
)
