import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { camel, pascalStem } from '../ir/identifiers.js'
import { assignNames } from '../ir/names.js'

/** What an import can read, with the word of a design that gives the toolset to an agent, and what that word takes besides. */
const uses = {
  mcp: { word: 'fromMcp', more: '' },
  functions: { word: 'fromService', more: ', serviceClient<Client>()' },
  openapi: { word: 'fromOpenApi', more: '' },
} as const

/** What an import reads: the tools of an MCP server, descriptions of functions, or operations of an HTTP API. */
export type ImportKind = keyof typeof uses

/** What stands in the first lines of every file that an import writes. */
const importMark = 'Written by `toolgen import'

/** Whether an import has written a text. */
export function isImported(text: string): boolean {
  return text.slice(0, 400).includes(importMark)
}

/**
 * The first line of a written file: by which command, and what to do instead of editing it.
 *
 * @param hash that of what follows, where a change by hand is to be noticed. Default: none is told
 */
export function importNote(kind: ImportKind, toolset: string, hash?: string): string {
  const told = hash === undefined ? '' : `, ${hash}`
  return `${importMark} ${kind} ${toolset}\`${told}. Do not edit; import again, and select and rename with \`${uses[kind].word}\`.`
}

/** The names of what is written for a toolset. */
interface ImportNames {
  /** The file of what was read, beside the module. */
  readonly snapshot: string
  readonly module: string
  /** The constant of the toolset in its module. */
  readonly constant: string
}

/** The names of what an import writes for a toolset. */
export function importNames(kind: ImportKind, toolset: string): ImportNames {
  const [named] = assignNames({ toolsets: [{ name: toolset, tools: [], defs: [] }], agents: [] }).toolsets
  if (named === undefined) throw new Error('Naming lost a toolset.')
  const { folder, descriptor } = named.names
  const taken = descriptor === 'defineTool' || descriptor === 'defineToolset'
  return {
    snapshot: `${folder}.${kind}.json`,
    module: `${folder}.${kind}.ts`,
    constant: taken ? `${descriptor}_` : descriptor,
  }
}

/** How a design gives an imported toolset to an agent, as code. */
export function agentUse(kind: ImportKind, toolset: string): string {
  const { word, more } = uses[kind]
  return `${word}(${importNames(kind, toolset).constant}${more})`
}

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
