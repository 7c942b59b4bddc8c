import { textOf } from './compare.js'
import type { Disk } from './disk.js'
import { isGenerated } from './file.js'

/** More are not looked for: they are examples. */
const most = 3

/**
 * Files of a folder that toolgen did not write, as paths below it: those without the head of generated files. Dot files,
 * dot folders and `node_modules` are passed by, and so are the planned paths, of which each is judged by itself.
 */
export function findStrangers(disk: Disk, folder: string, planned: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  if (disk.kind(folder) === 'folder') search('')
  return found

  function search(below: string): void {
    for (const { name, kind } of disk.list(`${folder}/${below}`.replace(/\/$/, ''))) {
      if (found.length === most) return
      if (name.startsWith('.') || name === 'node_modules') continue
      const path = below === '' ? name : `${below}/${name}`
      if (kind === 'folder') search(path)
      else if (kind === 'file' && !planned.has(path) && !isGenerated(textOf(disk.read(`${folder}/${path}`)))) {
        found.push(path)
      }
    }
  }
}
