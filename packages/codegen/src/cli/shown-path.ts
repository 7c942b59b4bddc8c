import { join } from 'node:path'
import process from 'node:process'
import { relativePath } from '../evaluate/relative-path.js'

/** A path of a project as people see it: from the folder in which they stand. */
export function shownPath(root: string, path: string): string {
  return relativePath(process.cwd(), join(root, path)) || '.'
}
