// `npm run bench -- codec`: speed and size of generated codecs, compared with typia, Ajv, Zod, TypeBox, Valibot, ArkType,
// fast-json-stringify and JSON, and the time to type-check generated codecs. See codec/README.md.
import { join } from 'node:path'
import { compileModules } from './codec/compiled-modules.mjs'
import { sizeRows } from './codec/generated-size.mjs'
import { flatToolSize, typeCheckRows } from './codec/many-codecs.mjs'
import { operations } from './codec/operations.mjs'
import { speedRows } from './codec/speed.mjs'
import { withFolder } from './workspace.mjs'

export const parts = {
  ...Object.fromEntries(Object.entries(operations).map(([name, { title }]) => [name, title])),
  size: 'size of the generated codecs and types of one tool',
  types: 'type-check of the codecs and types of 500 tools',
}

/** Measures the parts. Throws if the reference of an operation returns wrong results. */
export function benchmark({ parts: chosen, quick, log }) {
  // The folder is in this package, so that generated modules can import the contestants.
  return withFolder('scripts/bench/.out-codec', async (folder) => {
    log('generating and compiling the codecs of toolgen and typia ...')
    const { toolsets } = compileModules(folder)
    const names = chosen.filter((part) => part in operations)
    const rows = names.length === 0 ? [] : await speedRows({ names, quick, log })
    if (chosen.includes('size')) {
      rows.push(...flatToolSize({ folder }))
      rows.push(...sizeRows({ title: 'medium payload, small result', toolset: join(toolsets, 'orders') }))
    }
    if (chosen.includes('types')) rows.push(...typeCheckRows({ folder, rounds: quick ? 1 : 3, log }))
    return rows
  })
}
