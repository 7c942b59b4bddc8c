import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emitDesign } from '../../packages/codegen/src/emit/emit-design.js'
import type { DesignIr } from '../../packages/codegen/src/ir/types.js'
import { serviceUses } from '../../packages/codegen/src/ir/uses.js'
import type { ServicePlans } from '../../packages/codegen/src/services/plan.js'
import { type CompilerVersion, tsc } from '../tsc.js'

const here = dirname(fileURLToPath(import.meta.url))
const workspace = join(here, '../..')

/** Creates a folder from which the client packages of this workspace can be imported. */
export function newProject(
  files: Readonly<Record<string, string>>,
  root: string = mkdtempSync(join(here, '.out-')),
): string {
  for (const [path, text] of Object.entries(files)) write(join(root, path), text)
  return root
}

/** Removes a folder of {@link newProject}. */
export function removeProject(root: string): void {
  rmSync(root, { recursive: true, force: true })
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Writes the generated code of a design to the project and returns the source of the service executor. */
export function generateInto(root: string, design: DesignIr, plans: ServicePlans): string {
  const files = emitDesign(design, plans, {
    importExtension: '.js',
    codecs: 'ts',
    clientImport: ({ module }, fromFile) =>
      posix.relative(posix.dirname(`gen/${fromFile}`), module).replace(/\.ts$/, '.js'),
  })
  for (const { path, text } of files) write(join(root, 'gen', path), text)
  const [use] = design.agents.flatMap(serviceUses)
  return files.find(({ path }) => path.endsWith(`/${use?.names.file}.ts`))?.text ?? ''
}

/** Returns the errors of a compiler in the generated code and other files under the strictest flags; an empty string if it finds none. */
export function faultsOf(root: string, version: CompilerVersion, files: readonly string[]): string {
  const options = {
    target: 'ES2022',
    lib: ['ES2022'],
    types: ['node'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    isolatedDeclarations: true,
    declaration: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      '@toolgen/runtime/codegen/v1': [join(relative(root, workspace), 'packages/runtime/dist/codegen/v1.d.ts')],
    },
  }
  write(join(root, 'tsconfig.check.json'), JSON.stringify({ compilerOptions: options, files }))
  const { code, stdout } = tsc(version, root, '-p', 'tsconfig.check.json')
  return code === 0 ? stdout : `${stdout}Exit code ${code}.`
}
