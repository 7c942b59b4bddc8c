import { parentPort } from 'node:worker_threads'
import * as loaded from 'typescript'
import { ProgramCheck } from './check-program.js'
import type { CheckedProgram, CheckReply, CheckRequest } from './checker.js'

// TypeScript is a CommonJS module: its members are those of the default export.
const typescript = loaded.default ?? loaded

/** Checks by the text of their declarations, the least recently used first. */
const checks = new Map<string, ProgramCheck>()
const maxChecks = 4

function check({ declarations, code }: CheckRequest): CheckedProgram {
  const known = checks.get(declarations) ?? new ProgramCheck(typescript, declarations)
  checks.delete(declarations)
  checks.set(declarations, known)
  const [oldest] = checks.keys()
  if (checks.size > maxChecks && oldest !== undefined) checks.delete(oldest)
  return known.check(code)
}

parentPort?.on('message', (request: CheckRequest) => {
  const reply: CheckReply =
    typescript.createProgram === undefined
      ? { id: request.id, error: `TypeScript ${typescript.version} has no compiler API. Install TypeScript 5.9 or 6.` }
      : { id: request.id, checked: check(request) }
  parentPort?.postMessage(reply)
})
parentPort?.postMessage({ id: 0 } satisfies CheckReply)
