import type { EmittedFile } from '../../write/file.js'
import type { ProjectNames } from './project-names.js'

/** The packages that the example needs, with their versions. */
export interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * The packages that the example needs.
 *
 * @param toolgen the range for toolgen's own packages
 */
export function exampleDependencies(toolgen: string): Dependencies {
  return {
    dependencies: { '@toolgen/runtime': toolgen },
    devDependencies: {
      '@toolgen/codegen': toolgen,
      '@toolgen/dsl': toolgen,
      '@types/node': '^20.19.43',
      typescript: '^5.9.3',
      zod: '^4.6.7',
    },
  }
}

/** What a folder needs that is no package yet; each is written only where the folder has none. */
export function workspaceFiles(
  { designFolder, outputFolder }: Pick<ProjectNames, 'designFolder' | 'outputFolder'>,
  needed: Dependencies,
): readonly EmittedFile[] {
  const manifest = {
    private: true,
    type: 'module',
    scripts: {
      generate: 'toolgen generate',
      check: 'toolgen check && tsc --noEmit',
      start: 'toolgen generate && tsc && node dist/src/main.js',
    },
    ...needed,
  }
  const compiler = {
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2023'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'dist',
    },
    include: ['src', ...[designFolder, outputFolder].filter((folder) => !folder.startsWith('src/'))],
  }
  return [
    { path: 'package.json', text: json(manifest) },
    { path: 'tsconfig.json', text: json(compiler) },
    { path: '.gitignore', text: 'node_modules\ndist\n' },
  ]
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
