import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'
import { byCodePoint } from '../text/by-code-point.js'

const moduleFile: RegExp = /(?<!\.d)\.[cm]?[jt]s$/
/** Deeper folders are not searched. */
const deepest = 64

/**
 * The module files that a pattern names, relative to the root with `/`, sorted by code point. `*` stands for any part of
 * a name, `**` for any folders; `node_modules`, folders whose names begin with a dot and `except` are never searched.
 *
 * @param except a folder relative to the root
 */
export function findDesignFiles(root: string, pattern: string, except: string): readonly string[] {
  const segments = posix.normalize(pattern).split('/')
  const fixed = segments.findIndex((segment) => segment.includes('*'))
  if (fixed === -1) return isFile(join(root, ...segments)) ? [segments.join('/')] : []
  const start = segments.slice(0, fixed).join('/')
  const matcher = patternToRegExp(segments.join('/'))
  return filesBelow(root, start, except, 0)
    .filter((file) => moduleFile.test(file) && matcher.test(file))
    .sort(byCodePoint)
}

function filesBelow(root: string, folder: string, except: string, depth: number): readonly string[] {
  if (depth > deepest) return []
  return entriesIn(join(root, folder)).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() || (entry.isSymbolicLink() && isFile(join(root, path)))) return [path]
    const searched = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')
    return searched && path !== except ? filesBelow(root, path, except, depth + 1) : []
  })
}

function entriesIn(folder: string): readonly import('node:fs').Dirent[] {
  return foundAt(folder)?.isDirectory() ? readdirSync(folder, { withFileTypes: true }) : []
}

function isFile(path: string): boolean {
  return foundAt(path)?.isFile() ?? false
}

/** `a/**\/b*.ts` as a regular expression over whole paths. */
export function patternToRegExp(pattern: string): RegExp {
  const source = pattern.split('/').reduce((done, segment, index, all) => {
    const last = index === all.length - 1
    if (segment === '**') return `${done}${last ? '.*' : '(?:[^/]+/)*'}`
    const name = segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')
    return `${done}${name}${last ? '' : '/'}`
  }, '')
  return new RegExp(`^${source}$`)
}
