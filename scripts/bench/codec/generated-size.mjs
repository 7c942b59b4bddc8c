import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * Returns the size of the generated codecs and types of a toolset, plain and gzipped (each file separately). The toolset has one tool with a payload
 * and a result.
 *
 * @param aims aims for the two sizes, in KB (optional)
 */
export function sizeRows({ title, toolset, aims: [plain, gzipped] = [] }) {
  const sum = (sizeOf) => codecFiles(toolset).reduce((total, file) => total + sizeOf(readFileSync(file)), 0) / 1000
  const row = { case: `codecs and types of one tool, ${title}`, contestant: 'toolgen' }
  return [
    { ...row, value: sum((bytes) => bytes.length), unit: 'KB', aims: [plain] },
    { ...row, value: sum((bytes) => gzipSync(bytes).length), unit: 'KB gzipped', aims: [gzipped] },
  ]
}

/** Returns the files of a toolset that contain its codecs and types. */
export function codecFiles(toolset) {
  const names = readdirSync(toolset).filter((name) => /^(codecs|types)\b/.test(name))
  if (names.length === 0) throw new Error(`no codecs in ${toolset}`)
  return names.map((name) => join(toolset, name))
}
