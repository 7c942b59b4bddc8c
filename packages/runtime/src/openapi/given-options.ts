import { isFields } from '../codec/json/kind.js'
import { baseUrlFault } from './base-url.js'
import type { OpenApiExecutorOptions } from './openapi-executor-options.js'

/**
 * Why an option is not what it can be: in words that begin with its name; `undefined` where all are. What functions give is
 * known at each call. Without the values, which may be secrets.
 */
export function givenOptionFault(options: OpenApiExecutorOptions): string | undefined {
  const { baseUrl, auth, maxAnswerBytes } = options
  const why = baseUrl === undefined || typeof baseUrl === 'function' ? undefined : baseUrlFault(baseUrl)
  if (why !== undefined) return `baseUrl ${why}`
  if (maxAnswerBytes !== undefined && !(Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes > 0))
    return 'maxAnswerBytes must be a whole number above 0'
  const given: unknown = auth === undefined ? {} : auth
  if (!isFields(given)) return 'auth must be an object of credentials by their names'
  const wrong = Object.entries(given).find(([, credential]) => !isCredential(credential))
  return wrong && `auth.${wrong[0]} must be a text, { username, password }, or a function that gives one of them`
}

function isCredential(value: unknown): boolean {
  if (value === undefined || typeof value === 'string' || typeof value === 'function') return true
  return isFields(value) && typeof value['username'] === 'string' && typeof value['password'] === 'string'
}
