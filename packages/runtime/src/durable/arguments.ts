import { isFields } from '../schema/json-values.js'
import type { Answers } from '../types/outcome.js'
import type { DurableRunOptions } from './engine.js'

export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

export function requireObject(name: string, value: unknown, expected: string): void {
  if (!isFields(value)) throw new TypeError(`${name} is ${shown(value)}. Expected ${expected}.`)
}

export function requireCount(name: string, value: unknown, maximum: number = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maximum) return
  const range = maximum === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${maximum}`
  throw new RangeError(`${name} is ${shown(value)}. Expected an integer ${range}.`)
}

export function requireRunId(method: string, runId: unknown): void {
  requireString(`${method}: runId`, runId)
  // Engines use the id in paths of URLs, from which URL parsers remove '.' and '..'.
  if (runId !== '' && runId !== '.' && runId !== '..' && !hasLoneSurrogates(runId)) return
  throw new TypeError(
    `${method}: runId is ${JSON.stringify(runId)}. Expected a string of valid Unicode that is not empty, '.' or '..'.`,
  )
}

export function requireAnswerArguments(runId: unknown, suspensionId: unknown, answers: Answers): void {
  requireRunId('answer', runId)
  requireString('answer: suspensionId', suspensionId)
  const received: unknown = answers
  if (typeof received !== 'string' && !isFields(received)) {
    throw new TypeError(
      `answer: answers is ${shown(received)}. Expected a string, or an object that maps the ids of the pending calls to answers.`,
    )
  }
  requireJson('answer: answers', received, { skipsUndefined: true })
}

export function requirePosition(from: unknown): void {
  if (Number.isSafeInteger(from) && Number(from) >= 1) return
  throw new RangeError(
    `subscribe: from is ${shown(from)}. Expected the position of an event, an integer of at least 1.`,
  )
}

export function requireRunOptions(options: DurableRunOptions): void {
  requireObject('start: options', options, "an object, for example { sessionId: 's-1' }")
  const { runId, sessionId, turnId, labels, data } = options
  if (runId !== undefined) {
    requireRunId('start', runId)
    if (runId.includes('/')) {
      throw new TypeError(
        `start: runId is '${runId}'. Expected a string without '/', which separates the ids of nested runs.`,
      )
    }
  }
  if (sessionId !== undefined) requireString('start: sessionId', sessionId)
  if (turnId !== undefined) requireString('start: turnId', turnId)
  if (labels !== undefined) {
    requireObject('start: labels', labels, "an object of strings, for example { tenant: 'acme' }")
    for (const [name, label] of Object.entries(labels)) requireString(`start: labels.${name}`, label)
  }
  if (data !== undefined) requireJson('start: data', data)
}

export function requireString(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`${name} is ${shown(value)}. Expected a string.`)
}

export function requireJson(name: string, value: unknown, options: { readonly skipsUndefined?: boolean } = {}): void {
  const { skipsUndefined = false } = options
  const parents = new Set<object>()
  const check = (path: string, part: unknown): void => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return
    if (typeof part !== 'object') throw notJson(path, shown(part))
    if (parents.has(part)) throw notJson(path, 'an object that contains itself')
    parents.add(part)
    if (Array.isArray(part)) for (const [index, item] of part.entries()) check(`${path}[${index}]`, item)
    else {
      const prototype: unknown = Object.getPrototypeOf(part)
      const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
      if (!isPlain) throw notJson(path, `an instance of ${part.constructor?.name ?? 'a class'}`)
      for (const [key, field] of Object.entries(part)) {
        if (field !== undefined || !skipsUndefined) check(`${path}.${key}`, field)
      }
    }
    parents.delete(part)
  }
  check(name, value)
}

function notJson(path: string, received: string): TypeError {
  return new TypeError(
    `${path} is ${received}. Expected JSON: null, booleans, finite numbers, strings, arrays and plain objects.`,
  )
}

function hasLoneSurrogates(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}
