import { execFile } from 'node:child_process'

/** What Git answered, or why it did not. */
export type GitAnswer =
  | { readonly kind: 'answered'; readonly text: string }
  /** Git ran and refused. */
  | { readonly kind: 'refused'; readonly said: string }
  /** There is no Git on this machine. */
  | { readonly kind: 'missing' }

/** Locks are small, but not always: 1,000 tools take some megabytes. */
const largestAnswer = 256 * 1024 * 1024

/** Runs Git in a folder, without a shell. */
export function askGit(folder: string, args: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' }
    execFile('git', args, { cwd: folder, env, maxBuffer: largestAnswer }, (error, text, said) => {
      if (error === null) resolve({ kind: 'answered', text })
      else if (error.code === 'ENOENT') resolve({ kind: 'missing' })
      else if (typeof error.code === 'number') resolve({ kind: 'refused', said: said.trim().split('\n')[0] ?? '' })
      else reject(error)
    })
  })
}
