import type { Checked } from '../../diagnostics/diagnostic.js'
import { noGit, noLockAtRevision, noRepository, noSuchRevision, nothingCommitted } from './base-diagnostics.js'
import { askGit } from './git.js'

/** Where a lock is. */
export interface LockPlace {
  /** The project's root, somewhere in a working tree: absolute. */
  readonly root: string
  /** The lock's path, relative to the root. */
  readonly lock: string
}

/** The text of a lock as it was at a revision; after a colon the revision may name another path from the repository's root. */
export async function lockAtRevision(named: string, { root, lock }: LockPlace): Promise<Checked<string>> {
  const inside = await askGit(root, ['rev-parse', '--is-inside-work-tree'])
  if (inside.kind === 'missing') return { diagnostics: [noGit()] }
  if (inside.kind === 'refused') return { diagnostics: [noRepository(root, inside.said)] }
  const [revision = '', ...path] = named.split(':')
  // What begins with a dash would be read as an option.
  const commit = revision.startsWith('-') || revision === '' ? undefined : await commitOf(root, revision)
  if (commit === undefined) {
    const isOfHead = /^(?:HEAD|@)(?![\w/.-])/.test(revision)
    if (isOfHead && (await commitOf(root, 'HEAD')) === undefined) return { diagnostics: [nothingCommitted(revision)] }
    return { diagnostics: [noSuchRevision(revision, await namesIn(root))] }
  }
  const wanted = path.length === 0 ? `./${lock}` : path.join(':')
  const blob = await askGit(root, ['cat-file', 'blob', `${commit}:${wanted}`])
  if (blob.kind === 'answered') return { value: blob.text, diagnostics: [] }
  return { diagnostics: [noLockAtRevision(revision, path.length === 0 ? lock : wanted)] }
}

async function commitOf(root: string, revision: string): Promise<string | undefined> {
  const answer = await askGit(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])
  return answer.kind === 'answered' ? answer.text.trim() : undefined
}

/** The names of branches and tags. */
async function namesIn(root: string): Promise<readonly string[]> {
  const answer = await askGit(root, [
    'for-each-ref',
    '--format=%(refname:short)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ])
  return answer.kind === 'answered' ? answer.text.split('\n').filter((name) => name !== '') : []
}
