import { parentPort } from 'node:worker_threads'
import type ts from 'typescript'
import { ProgramCheck } from './check-program.js'
import type { CheckedProgram, CheckerMessage, CheckRequest } from './checker.js'

/** The package `typescript` of version 7 has no compiler API, so projects with this version install `@typescript/typescript6`. */
async function loadCompiler(): Promise<typeof ts> {
  const installed = await exportsOf(() => import('typescript'))
  if (installed?.createProgram !== undefined) return installed
  const sideBySide = await exportsOf(() => import('@typescript/typescript6'))
  if (sideBySide !== undefined) return sideBySide
  throw new Error('The compiler of TypeScript 5.9 or 6 is not installed. Run `npm install @typescript/typescript6`.')
}

async function exportsOf(load: () => Promise<object>): Promise<typeof ts | undefined> {
  try {
    // The return type is correct for both packages, because this file uses only functions that have not changed between the versions.
    const loaded = await load()
    // The default export of a CommonJS module contains all exports.
    return ('default' in loaded ? loaded.default : loaded) as typeof ts
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const typescript = await loadCompiler()

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

const send = (message: CheckerMessage): void => parentPort?.postMessage(message)
parentPort?.on('message', (request: CheckRequest) => send(check(request)))
send('loaded')
