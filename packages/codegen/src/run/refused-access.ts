import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { relativePath } from '../evaluate/relative-path.js'
import { inWords, isDiskError } from '../write/disk.js'

/**
 * What people see where the operating system keeps a command from a file or a folder of theirs; `undefined` for anything
 * else that was thrown.
 *
 * @param root the folder to which the place is relative: absolute
 */
export function refusedAccess(thrown: unknown, root: string): Diagnostic | undefined {
  if (!isDiskError(thrown) || thrown.path === undefined || thrown.syscall.startsWith('spawn')) return undefined
  // Who reads a file of a project has asked whether it is there.
  if (thrown.code === 'ENOENT') return undefined
  const file = relativePath(root, thrown.path) || '.'
  return {
    code: 'TG0019',
    severity: 'error',
    message: `\`${file}\` cannot be reached: ${inWords(thrown)}.`,
    place: { file, line: 1, column: 1 },
    next: 'Give toolgen access to it, or name another file or folder.',
  }
}
