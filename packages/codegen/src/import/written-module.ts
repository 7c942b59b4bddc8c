import { lineComment } from '../text/doc-comment.js'
import { contentHash } from '../write/content-hash.js'
import { type ImportKind, importNote } from './import-names.js'

const head = /^\/\/ Written by `toolgen import [^\n]*`, ([0-9a-f]{16})\. [^\n]*\n/

/** The text of a module with a head that says which import wrote it, and by which a change by hand is noticed. */
export function writtenModule(kind: ImportKind, toolset: string, body: string): string {
  return `${lineComment(importNote(kind, toolset, bodyHash(body)))}\n${body}`
}

/** Whether what follows the head of a module is what an import wrote. */
export function isUnedited(module: string): boolean {
  const text = module.replaceAll('\r\n', '\n')
  const [line, hash] = head.exec(text) ?? []
  return line !== undefined && bodyHash(text.slice(line.length)) === hash
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}
