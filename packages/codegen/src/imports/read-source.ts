import { createReadStream, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { foundAt, inWords, isDiskError, relativePath } from '../files.js'

import { type JsonFault, jsonFault } from './json-error.js'
import { unreadable } from './toolset-module.js'

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
  return { ...unreadable(shown, why), location: { file, line, column }, next: 'Correct the JSON, or --from.' }
}

/** A file of JSON, or why it is none: in words that end the sentence "... cannot be read:". */
export type JsonFile = { readonly text: string; readonly json: unknown } | { readonly why: string }

/** Reads a file of JSON. */
export function readJsonFile(path: string): JsonFile {
  try {
    if (isEndless(path)) return { why: endless }
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return { text, json: JSON.parse(text) }
  } catch (error) {
    if (isDiskError(error)) return { why: inWords(error) }
    if (error instanceof SyntaxError) return { why: 'it is no JSON' }
    throw error
  }
}

/** Whether reading what a path leads to may wait or go on for ever. Of a folder the reading itself says that it is none to read. */
function isEndless(path: string): boolean {
  const found = foundAt(path)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** What is said of it: words that end the sentence "... cannot be read:". */
const endless = 'it is a pipe or a device, and no file'
