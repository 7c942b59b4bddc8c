import { request as octokit } from '@octokit/request'
import axios from 'axios'
import got from 'got'
import { describeClient, timedOut, unavailable } from './client-suite.js'

describeClient(
  'axios',
  (url, patience, signal) => axios.get(url, { timeout: patience, ...(signal !== undefined && { signal }) }),
  // It says of an answer that stops only that it broke off.
  { stopping: unavailable, abortable: true },
)

describeClient(
  'axios over fetch',
  (url, patience, signal) =>
    axios.get(url, { adapter: 'fetch', timeout: patience, ...(signal !== undefined && { signal }) }),
  { stopping: timedOut, abortable: true },
)

describeClient(
  'got',
  (url, patience, signal) =>
    got(url, { retry: { limit: 0 }, timeout: { request: patience }, ...(signal !== undefined && { signal }) }).json(),
  { stopping: timedOut, abortable: true },
)

describeClient(
  'octokit',
  (baseUrl, patience, signal = AbortSignal.timeout(patience)) => octokit('GET /user', { baseUrl, request: { signal } }),
  // It takes an answer that ends early for an empty one.
  { stopping: null, breakingOff: null, abortable: true },
)
