import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'

const elsewhere =
  'Name a lock file instead, e.g. an earlier copy of `gen/toolgen.lock.json`: `toolgen diff path/to/toolgen.lock.json`.'

/** There is no Git. */
export function noGit(): Diagnostic {
  const message = 'Git is not installed, so that there is no revision to compare with.'
  return { code: 'TG0030', severity: 'error', message, next: elsewhere }
}

/** The project is in no working tree. */
export function noRepository(root: string, said: string): Diagnostic {
  const message = `Git finds no working tree in ${root}: ${said.replace(/^fatal: /, '')}.`
  return { code: 'TG0030', severity: 'error', message, next: elsewhere }
}

/** The base is neither a revision nor a path. */
export function noSuchRevision(revision: string, names: readonly string[]): Diagnostic {
  const near = nearest(revision, names)
  const others = 'Correct the revision. A shallow clone may lack it: fetch more history.'
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is no revision \`${revision}\`, and no lock at such a path.`,
    next: near[0] === undefined ? others : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/** The base leads to the last commit, of which there is none. */
export function nothingCommitted(revision: string): Diagnostic {
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is no revision \`${revision}\`: nothing is committed on this branch yet.`,
    next: 'Run `toolgen generate` and commit its output, from which on changes can be told, or name a lock file.',
  }
}

/** What is to be compared with is given and names nothing. */
export function emptyBase(base: string): Diagnostic {
  return {
    code: 'TG0031',
    severity: 'error',
    message: `There is nothing to compare with: \`${base}\` names no revision and no lock.`,
    next: 'Write `toolgen diff main`, `toolgen diff path/to/toolgen.lock.json`, or leave it out to compare with `HEAD`. A variable in its place may not be set.',
  }
}

/** The lock was not there yet, or somewhere else. */
export function noLockAtRevision(revision: string, path: string): Diagnostic {
  return {
    code: 'TG0032',
    severity: 'error',
    message: `\`${path}\` does not exist at \`${revision}\`.`,
    next:
      'Run `toolgen generate` and commit its output, or name a revision that has it, or the path that it had: ' +
      `\`toolgen diff ${revision}:old/path/toolgen.lock.json\`.`,
  }
}

/** The base is a path that leads nowhere. */
export function noSuchPath(path: string): Diagnostic {
  return {
    code: 'TG0032',
    severity: 'error',
    message: `There is no lock at \`${path}\`.`,
    next: 'Name a `toolgen.lock.json` or the folder that has it, relative to the folder in which the command works.',
  }
}

/** The operating system refuses to read the lock. */
export function notReadable(path: string, why: string): Diagnostic {
  return {
    code: 'TG0033',
    severity: 'error',
    message: `\`${path}\` cannot be read: ${why}.`,
    next: 'Make the file readable, or name another.',
  }
}

/** What was found is no lock. */
export function corruptBase(shown: string, reason: string): Diagnostic {
  return {
    code: 'TG0033',
    severity: 'error',
    message: `The lock of \`${shown}\` cannot be read: it ${reason}.`,
    next: 'Compare with a revision, or a file, whose lock is as `toolgen generate` wrote it.',
  }
}

/** The lock was written by a later toolgen. */
export function newerBase(shown: string, contract: number): Diagnostic {
  return {
    code: 'TG0034',
    severity: 'error',
    message: `The lock of \`${shown}\` has contract version ${contract}, which this toolgen does not know.`,
    next: 'Use the version of toolgen that wrote it, or a later one.',
  }
}
