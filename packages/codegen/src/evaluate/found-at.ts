import { lstatSync, type Stats, statSync } from 'node:fs'

/** What the file system answers where a path leads nowhere: also below a file, and for names that it cannot have. */
const nowhere: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']

/**
 * What is at a path; `undefined` where nothing is or can be.
 *
 * @param options.links `follow` asks what a symbolic link leads to, `show` shows the link itself. Default: `follow`
 * @throws what the file system says beside that, such as a permission denied
 */
export function foundAt(path: string, options: { readonly links?: 'follow' | 'show' } = {}): Stats | undefined {
  try {
    return options.links === 'show' ? lstatSync(path) : statSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && nowhere.includes(String(error.code))) return undefined
    throw error
  }
}
