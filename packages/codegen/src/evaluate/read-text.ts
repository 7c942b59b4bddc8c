import { readFileSync } from 'node:fs'

/** The text of a file in which a place is looked for; empty when the file is gone since it was evaluated. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
