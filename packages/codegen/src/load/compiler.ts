import { createRequire } from 'node:module'
import type * as TsMorph from 'ts-morph'

const require = createRequire(import.meta.url)

/**
 * ts-morph with its compiler, loaded when it is first asked for. By `require`: whoever imports a package of the older
 * kind has all its text searched for the names of its exports, which takes more than half as long again as to load it.
 */
export function loadCompiler(): typeof TsMorph {
  return require('ts-morph')
}

/** TypeScript itself, as ts-morph has it. */
export type TypeScript = typeof TsMorph.ts
