// `npm run bench -- codec [--only validate,decode,strip,defaults,issues,encode,size,types]`: what codecs cost beside typia, Ajv,
// Zod, TypeBox, Valibot, ArkType, fast-json-stringify and bare JSON; how big they are, and what checking their types
// costs. scripts/bench/codec/README.md tells how it measures.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { compileModules } from './codec/compiled-modules.mjs'
import { sizeRows } from './codec/generated-size.mjs'
import { flatToolSize, typeCheckRows } from './codec/many-codecs.mjs'
import { operations } from './codec/operations/operations.mjs'
import { speedRows } from './codec/speed.mjs'

/** Measures and returns the rows of the report; throws when the measure of an operation is wrong itself. */
export async function benchmark({ log }) {
  const only = filter(process.argv)
  // Beside the contestants, so that what is generated resolves the packages that they use.
  const folder = join(root, 'scripts/bench/.out-codec')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    log('generating and compiling the codecs of toolgen and typia ...')
    const { generated } = compileModules(folder)
    const speed = Object.keys(operations).some(only) ? await speedRows({ only, log }) : []
    const size = only('size') ? [...flatToolSize({ folder }), ...mediumToolSize(generated)] : []
    const types = only('types') ? typeCheckRows({ folder, log }) : []
    return [...speed, ...size, ...types]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function mediumToolSize(generated) {
  const title = 'the medium payload with the small result'
  return sizeRows({ title, toolset: join(generated, 'orders') })
}

/** Whether a part is wanted: those that `--only` names, else all. */
function filter(argv) {
  const parts = [...Object.keys(operations), 'size', 'types']
  const place = argv.indexOf('--only')
  if (place < 0) return () => true
  const wanted = (argv[place + 1] ?? '').split(',')
  const strange = wanted.filter((name) => !parts.includes(name))
  if (strange.length > 0) throw new Error(`--only takes ${parts.join(',')}, not ${strange.join(',')}`)
  return (name) => wanted.includes(name)
}
