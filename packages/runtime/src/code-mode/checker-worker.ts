import { parentPort } from 'node:worker_threads'
import type ts from 'typescript'
import { ProgramCheck } from './check-program.js'
import type { CheckedProgram, CheckReply, CheckRequest } from './checker.js'

/**
 * Loads the compiler of TypeScript 5.9 or 6 from the package `typescript` or `@typescript/typescript6`. The main entry of TypeScript 7.0
 * has no compiler API.
 */
async function loadCompiler(): Promise<typeof ts> {
  const installed = await exportsOf(() => import('typescript'))
  if (installed?.createProgram !== undefined) return installed
  const sideBySide = await exportsOf(() => import('@typescript/typescript6'))
  if (sideBySide !== undefined) return sideBySide
  throw new Error('The compiler of TypeScript 5.9 or 6 is not installed. Run `npm install @typescript/typescript6`.')
}

/**
 * Returns the exports of a package; `undefined` if it is not installed. Both versions of the compiler have the same types for the functions
 * that are used here.
 */
async function exportsOf(load: () => Promise<object>): Promise<typeof ts | undefined> {
  try {
    const loaded = await load()
    // Members of a CommonJS module are those of the default export.
    return ('default' in loaded ? loaded.default : loaded) as typeof ts
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const typescript = await loadCompiler()

/**
 * Text of the declarations → check of programs against these declarations. The least recently used check is the first.
 */
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
  parentPort?.postMessage({ id: request.id, checked: check(request) } satisfies CheckReply)
})
parentPort?.postMessage({ id: 0 } satisfies CheckReply)
