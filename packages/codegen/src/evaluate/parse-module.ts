import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'

/** A module's syntax tree, whose nodes know their parents. */
export function parseModule(ts: TypeScript, file: string, text: string): Compiler.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
}
