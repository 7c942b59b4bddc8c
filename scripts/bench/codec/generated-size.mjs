import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * What the generator writes for the codecs and types of a toolset of one tool, with payload and result, plain and
 * gzipped file by file.
 */
export function sizeRows({ title, toolset }) {
  const total = (measure) => codecFiles(toolset).reduce((sum, file) => sum + measure(readFileSync(file)), 0) / 1000
  const row = { case: `size per tool, ${title}`, contestant: 'toolgen' }
  return [
    { ...row, value: total((bytes) => bytes.length), unit: 'KB', aim: '≤ 9' },
    { ...row, value: total((bytes) => gzipSync(bytes).length), unit: 'KB gzipped', aim: '≤ 2.5' },
  ]
}

/** The files of a toolset's folder that hold its codecs and types. */
export function codecFiles(toolset) {
  const names = readdirSync(toolset).filter((name) => /^(codecs|types)\b/.test(name))
  if (names.length === 0) throw new Error(`no codecs in ${toolset}`)
  return names.map((name) => join(toolset, name))
}
