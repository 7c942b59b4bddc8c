import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folders whose code decides the verdicts, relative to this one. */
const deciding: readonly string[] = ['..', '../../schema', '../../diagnostics', '../../text']

/**
 * A hash over the code that decides the verdicts and the path of the compiler that reads the types (a package's path
 * holds its version or its package.json does): what an earlier version of either found is never used.
 */
export function generatorIdentity(): string {
  const hash = createHash('sha256')
  const here = fileURLToPath(new URL('.', import.meta.url))
  for (const folder of deciding) {
    const files = readdirSync(join(here, folder), { encoding: 'utf8', recursive: true }).filter(
      (file) => /\.[jt]s$/.test(file) && !file.includes('.test'),
    )
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(here, folder, file)))
  }
  const compiler = createRequire(import.meta.url).resolve('ts-morph')
  hash.update(compiler).update(readFileSync(join(compiler, '../../package.json')))
  return hash.digest('hex')
}
