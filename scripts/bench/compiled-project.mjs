import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runNode, toolgen } from './workspace.mjs'

const bench = fileURLToPath(new URL('.', import.meta.url))

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM'],
  types: [],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
}

/**
 * Writes the files of a project to `folder`, generates code, and compiles it with TypeScript 5.9.
 *
 * @returns the folder with the compiled modules
 */
export function compileProject(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['design'] }))
  runNode([toolgen, 'generate'], { cwd: folder })
  const build = { compilerOptions: { ...compilerOptions, rootDir: '.', outDir: 'compiled' }, include: ['gen'] }
  writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify(build))
  runNode([join(bench, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], { cwd: folder })
  return join(folder, 'compiled')
}
