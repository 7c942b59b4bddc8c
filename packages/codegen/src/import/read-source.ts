import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { relativePath } from '../evaluate/relative-path.js'
import { inWords, isDiskError } from '../write/disk.js'
import { unreadable } from './import-diagnostics.js'
import { endless, isEndless } from './is-endless.js'
import { type JsonFault, jsonFault } from './json-fault.js'

/** What stands for standard input where a file is named. */
export const standardInput = '-'

/** What an import reads. */
export interface ImportSource {
  readonly text: string
  /** The file for places: relative to the folder in which the command works, with `/`. */
  readonly file: string
  /** The same for messages. */
  readonly shown: string
}

/** In bytes. Lists of tools are some megabytes at most; more is another file, or has no end. */
const largest = 64 * 1024 * 1024

/**
 * Reads what is to be imported: a file, or standard input for `-`.
 *
 * @param from relative to `cwd`
 * @param cwd absolute
 */
export async function readSource(from: string, cwd: string): Promise<Checked<ImportSource>> {
  const isInput = from === standardInput
  const shown = isInput ? 'Standard input' : `\`${from}\``
  try {
    if (!isInput && isEndless(resolve(cwd, from))) {
      const next = 'Name a file, or give the text to standard input with `--from -`.'
      return { diagnostics: [{ ...unreadable(shown, endless), next }] }
    }
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of isInput ? process.stdin : createReadStream(resolve(cwd, from))) {
      pieces.push(piece)
      size += piece.length
      if (size > largest) return { diagnostics: [unreadable(shown, 'it is larger than 64 MiB')] }
    }
    // Without its mark of the byte order, which some editors write.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
    const file = isInput ? '<stdin>' : relativePath(cwd, resolve(cwd, from))
    return { value: { text, file, shown }, diagnostics: [] }
  } catch (error) {
    if (isDiskError(error)) return { diagnostics: [unreadable(shown, inWords(error))] }
    if (error instanceof TypeError) return { diagnostics: [unreadable(shown, 'it is no text in UTF-8')] }
    throw error
  }
}

/** The JSON of a source; an error at its place where it is none. */
export function jsonOf(source: ImportSource): Checked<{ readonly json: unknown }> {
  const fault = jsonFault(source.text)
  if (fault !== undefined) return { diagnostics: [brokenJson(source, fault)] }
  return { value: { json: JSON.parse(source.text) }, diagnostics: [] }
}

/** The error of a source that is no JSON. */
export function brokenJson({ file, shown }: ImportSource, { line, column, why }: JsonFault): Diagnostic {
  return { ...unreadable(shown, why), place: { file, line, column }, next: 'Correct the JSON, or --from.' }
}
