import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { contentHash } from '../files.js'
import { camel, pascalStem } from '../ir/letter-case.js'
import { assignNames } from '../ir/names.js'
import { lineComment } from '../text.js'

/** `word` is the DSL function that uses the toolset, and `more` contains the arguments of this function after the toolset. */
const kinds = {
  mcp: { word: 'fromMcp', more: '', example: 'files' },
  functions: { word: 'fromService', more: ', serviceClient<Client>()', example: 'weather' },
  openapi: { word: 'fromOpenApi', more: '', example: 'pets' },
  module: { word: 'fromExecutor', more: '', example: 'support' },
} as const

export type ImportKind = keyof typeof kinds

const takenNames = ['defineTool', 'defineToolset', 'defineAgent', 'importedToolset', 'fromExecutor', 'source', 'named']

const importMark = 'Written by `toolgen import'

export function isImported(text: string): boolean {
  return text.slice(0, 400).includes(importMark)
}

export function importNames(
  kind: ImportKind,
  toolset: string,
): Readonly<Record<'snapshot' | 'names' | 'module' | 'constant' | 'snapshotConstant', string>> {
  const [named] = assignNames({ toolsets: [{ name: toolset, tools: [], defs: {} }], agents: [] }).toolsets
  if (named === undefined) throw new Error('Internal error: the toolset has no generated names.')
  const { folder, descriptor } = named.names
  const isTaken = takenNames.includes(descriptor)
  return {
    snapshot: `${folder}.${kind}.json`,
    names: `${folder}.${kind}.snapshot.ts`,
    module: `${folder}.${kind}.ts`,
    snapshotConstant: `${descriptor}Snapshot`,
    constant: isTaken ? `${descriptor}_` : descriptor,
  }
}

export function agentUse(kind: ImportKind, toolset: string): string {
  const { word, more } = kinds[kind]
  return `${word}(${importNames(kind, toolset).constant}${more})`
}

export function refusedName(kind: ImportKind, name: string): Diagnostic | undefined {
  const isLegal = (text: string): boolean => /^[a-zA-Z][a-zA-Z0-9_-]*$/.test(text)
  if (isLegal(name)) return undefined
  const near = /[a-zA-Z]/.test(name) ? [camel(pascalStem(name, 'Toolset'))].filter(isLegal) : []
  const message =
    `\`${name}\` is not a valid name for an imported toolset. Tool names begin with it, so it may only contain ASCII ` +
    'letters, digits, `_` and `-`, and must begin with a letter.'
  const next = `Choose another name, e.g. \`toolgen import ${kind} ${near[0] ?? kinds[kind].example}\`.`
  return errorAt(undefined, 'TG0001', message, next, near.length > 0 ? { near } : {})
}

export function importNote(kind: ImportKind, toolset: string, end = ''): string {
  const change =
    kind === 'module'
      ? `select and rename with \`${kinds[kind].word}\``
      : `change tools in \`${importNames(kind, toolset).module}\``
  return `${importMark} ${kind} ${toolset}\`${end}. Do not edit; import again, and ${change}.`
}

const head = /^\/\/ Written by `toolgen import [^\n]*`, ([0-9a-f]{16})\. [^\n]*\n/

/** The next import compares the hash to detect manual changes. */
export function writtenModule(kind: ImportKind, toolset: string, body: string): string {
  return `${lineComment(importNote(kind, toolset, `, ${bodyHash(body)}`))}\n${body}`
}

export function moduleSource(module: string): string | undefined {
  return module.match(/^\/\/ Written by `toolgen import module \S+ (.+)`, [0-9a-f]{16}\./)?.[1]
}

export function isUnedited(module: string): boolean {
  const text = module.replaceAll('\r\n', '\n')
  const [line, hash] = head.exec(text) ?? []
  return line !== undefined && bodyHash(text.slice(line.length)) === hash
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}
