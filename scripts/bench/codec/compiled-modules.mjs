import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runNode, toolgen } from '../workspace.mjs'
import { typiaSource } from './contestants/typia-source.mjs'

/** Environment variable with the folder of the compiled modules, for the processes of the contestants. */
const folderVariable = 'TOOLGEN_BENCH_FOLDER'
const bench = fileURLToPath(new URL('..', import.meta.url))
const modules = { toolgen: 'toolgen/gen/toolsets/shapes/codecs.js', typia: 'typia/transformed/shapes.js' }

const designModule = `import { defineToolset, defineTool } from '@toolgen/dsl'
import { z } from 'zod'
import { namedFormats, noteDefault, zodSchemas } from './zod-schemas.mjs'

const { small, medium, large } = zodSchemas({ object: z.object, formats: namedFormats })
const completed = zodSchemas({ object: z.object, formats: namedFormats, note: noteDefault })

export const shapes = defineToolset('shapes', {
  description: 'Accept and return each of the shapes.',
  tools: {
    small: defineTool({ description: 'Accept the small shape.', payload: small, result: small }),
    medium: defineTool({ description: 'Accept an order.', payload: medium, result: medium }),
    large: defineTool({ description: 'Accept many records.', payload: large, result: large }),
    smallDefaults: defineTool({ description: 'Accept the small shape.', payload: completed.small, result: small }),
    mediumDefaults: defineTool({ description: 'Accept an order.', payload: completed.medium, result: small }),
    largeDefaults: defineTool({ description: 'Accept many records.', payload: completed.large, result: small }),
  },
})

export const orders = defineToolset('orders', {
  description: 'Place orders.',
  tools: { placeOrder: defineTool({ description: 'Place an order.', payload: medium, result: small }) },
})
`

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023'],
  types: [],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
}

/** Generates modules with toolgen and with typia in `folder`, and compiles them with TypeScript 5.9. */
export function compileModules(folder) {
  const toolsets = generateShapes(join(folder, 'toolgen'))
  const typia = join(folder, 'typia')
  write(typia, 'source/shapes.ts', typiaSource)
  write(typia, 'tsconfig.json', JSON.stringify({ compilerOptions, include: ['source'] }))
  const command = join(bench, 'node_modules/typia/lib/executable/typia.js')
  const project = ['--project', 'tsconfig.json']
  runNode([command, 'generate', '--input', 'source', '--output', 'transformed', ...project], { cwd: typia })
  const build = { ...compilerOptions, rootDir: '.', outDir: 'compiled' }
  const include = ['toolgen/gen/toolsets/*/codecs.ts', 'typia/transformed']
  write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions: build, include }))
  write(folder, 'package.json', '{ "type": "module" }')
  runNode([join(bench, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: folder })
  process.env[folderVariable] = folder
  return { toolsets }
}

/** Writes a project with the design of the shapes and generates its code. Returns the folder of the toolsets. */
function generateShapes(folder) {
  write(folder, 'package.json', '{ "name": "shapes", "private": true, "type": "module" }')
  write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions, include: ['design'] }))
  write(folder, 'toolgen.config.ts', configText({ design: 'design/shapes.ts' }))
  write(folder, 'design/shapes.ts', designModule)
  copyFileSync(join(bench, 'codec/contestants/zod-schemas.mjs'), join(folder, 'design/zod-schemas.mjs'))
  runNode([toolgen, 'generate'], { cwd: folder })
  return join(folder, 'gen/toolsets')
}

/** Returns the source of a `toolgen.config.ts`. */
export function configText(config) {
  return `import { defineConfig } from '@toolgen/codegen'\n\nexport default defineConfig(${JSON.stringify(config)})\n`
}

/** Imports the compiled module of a contestant. */
export function compiledModule(contestant) {
  return import(pathToFileURL(join(process.env[folderVariable], 'compiled', modules[contestant])))
}

function write(folder, path, text) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
