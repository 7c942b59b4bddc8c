import { relative, sep } from 'node:path'
import type { ts } from 'ts-morph'
import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import type { TypeReader } from './type-reader.js'

/** Where a position stands, relative to the project's root; a package's file begins at its `node_modules`. */
export function placeAt(file: ts.SourceFile, start: number, root: string): SourcePlace {
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  return { file: shownPath(file.fileName, root), line: line + 1, column: character + 1 }
}

/** Where a declaration begins, at its name where it has one. */
export function placeOf(declaration: ts.Declaration, root: string, { ts }: TypeReader): SourcePlace {
  const file = declaration.getSourceFile()
  return placeAt(file, (ts.getNameOfDeclaration(declaration) ?? declaration).getStart(file), root)
}

/** A path for people: never absolute. */
export function shownPath(path: string, root: string): string {
  const inRoot = relative(root, path).split(sep).join('/')
  if (!inRoot.startsWith('../') && !/^(?:[A-Za-z]:)?\//.test(inRoot)) return inRoot
  const packages = path.replace(/\\/g, '/').split('/node_modules/')
  const last = packages.at(-1) ?? ''
  return packages.length > 1 ? `node_modules/${last}` : inRoot
}
