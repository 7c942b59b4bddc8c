import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { camel, pascalStem } from '../ir/names/identifier-words.js'
import type { ImportKind } from './import-names.js'

const examples: Readonly<Record<ImportKind, string>> = { mcp: 'files', functions: 'weather', openapi: 'pets' }

const legal = /^[a-zA-Z][a-zA-Z0-9_-]*$/

/** The error of a name that no toolset can have; models see it at the beginning of every tool's name. */
export function refusedName(kind: ImportKind, name: string): Diagnostic | undefined {
  if (legal.test(name)) return undefined
  const near = /[a-zA-Z]/.test(name) ? camel(pascalStem(name, 'Toolset')) : ''
  const isNear = legal.test(near)
  return {
    code: 'TG0001',
    severity: 'error',
    message:
      `\`${name}\` is no name for an imported toolset. Models see it as the beginning of each tool's name: it has ASCII ` +
      'letters, digits, `_` and `-` alone, a letter first.',
    next: `Choose another, e.g. \`toolgen import ${kind} ${isNear ? near : examples[kind]}\`.`,
    ...(isNear && { near: [near] }),
  }
}
