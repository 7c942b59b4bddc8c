import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { inWords } from '../write/disk.js'
import type { OutputFolder } from '../write/output-folder.js'
import type { Publication } from '../write/publish.js'
import type { FileInTheWay } from './in-the-way.js'

/** The command line names no source of an import, or several. */
export function oneSource(given: number, snapshot: string): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message:
      given === 0
        ? `Nothing says where the tools come from, nor does \`${snapshot}\` say where they came from.`
        : 'The tools can come from one place alone.',
    next: 'Give one of `--from FILE`, `--url URL` and `-- COMMAND`, e.g. `toolgen import mcp files -- npx -y server .`.',
  }
}

/** What is to be imported cannot be read. */
export function unreadable(shown: string, why: string): Diagnostic {
  return {
    code: 'TG0009',
    severity: 'error',
    message: `${shown} cannot be read: ${why}.`,
    next: 'Correct --from; it is relative to the folder in which the command works.',
  }
}

/** What is wrong with a source that no option names: it is the snapshot that does. */
export function ofSnapshot(found: readonly Diagnostic[], snapshot: string): readonly Diagnostic[] {
  const next = `It is \`${snapshot}\` that names this place. Give \`--from\` with the present one.`
  return found.map((diagnostic) => (diagnostic.code === 'TG0009' ? { ...diagnostic, next } : diagnostic))
}

/** Nothing says where the functions of an import come from. */
export function noFunctionsSource(snapshot: string): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message: `Nothing says where the functions come from, nor does \`${snapshot}\` name a file.`,
    next: 'Give `--from FILE`, or `--from -` for standard input, e.g. `toolgen import functions weather --from tools.json`.',
  }
}

/** An import from a source that no later one can read again takes the place of one from a file. */
export function forgottenSource(snapshot: string, earlier: string): Diagnostic {
  return {
    code: 'TG6024',
    severity: 'warning',
    message: `\`${snapshot}\` does not name \`${earlier}\` any more, since the functions now come from elsewhere.`,
    next: `Nothing, or import \`--from ${earlier}\` again; the next import must be told its source.`,
  }
}

/** What stands where a file of an import is to go would be lost. */
export function wouldOverwrite({ path, isEdited }: FileInTheWay): Diagnostic {
  const code = 'TG0010'
  if (isEdited) {
    return {
      code,
      severity: 'error',
      message: `\`${path}\` was changed after it was imported; nothing was written.`,
      next:
        'Where an agent uses the toolset, give it names and a selection (`as`, `only`, `rename`); descriptions stay those ' +
        'of what is imported. Then import with --force, which overwrites the module.',
    }
  }
  return {
    code,
    severity: 'error',
    message: `\`${path}\` was not written by an import; nothing was written.`,
    next: 'Give the toolset another name, choose another --dir, or move the file.',
  }
}

/** The operating system refused to write. */
export function refused(
  { shown }: OutputFolder,
  { error, restored }: Omit<Extract<Publication, { kind: 'failed' }>, 'kind'>,
): Diagnostic {
  return {
    code: 'TG0011',
    severity: 'error',
    message: restored
      ? `The files cannot be written to ${shown}: ${inWords(error)}. Nothing was changed.`
      : `Writing to ${shown} failed (${inWords(error)}) and could not be undone: one file may be new, the other old.`,
    next: restored
      ? 'Make the folder writable, or choose another --dir.'
      : 'Make the folder writable and import again.',
  }
}
