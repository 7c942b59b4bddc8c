import { dirname, join } from 'node:path'
import { nodeDisk } from '../write/disk.js'
import type { EmittedFile } from '../write/file.js'
import { missingFolders } from '../write/tidy.js'
import { importMark } from './mcp/toolset-module.js'

/** Those of the files in whose place something stands that no import has written. */
export function inTheWay(root: string, files: readonly EmittedFile[]): readonly string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => present(root, path)?.slice(0, 400).includes(importMark) === false)
}

/**
 * Writes those files that differ from what stands there, each at once.
 *
 * @throws what the disk refuses
 */
export function writeImport(
  root: string,
  files: readonly EmittedFile[],
): { readonly written: readonly string[]; readonly unchanged: readonly string[] } {
  const changed = files.filter(({ path, text }) => present(root, path) !== text)
  for (const { path, text } of changed) {
    const target = placeOf(root, path)
    for (const folder of missingFolders(nodeDisk, dirname(target))) nodeDisk.makeFolder(folder)
    nodeDisk.write(`${target}.new`, text)
    nodeDisk.move(`${target}.new`, target)
  }
  const written = changed.map(({ path }) => path)
  return { written, unchanged: files.map(({ path }) => path).filter((path) => !written.includes(path)) }
}

/** The text of a file; what is no file is empty, which no import has written. */
function present(root: string, path: string): string | undefined {
  const place = placeOf(root, path)
  const kind = nodeDisk.kind(place)
  if (kind === undefined) return undefined
  return kind === 'file' ? Buffer.from(nodeDisk.read(place)).toString('utf8') : ''
}

function placeOf(root: string, path: string): string {
  return join(root, path).replaceAll('\\', '/')
}
