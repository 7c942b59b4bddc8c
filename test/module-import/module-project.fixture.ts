import { createProject, type Project } from '../cli/project.fixture.js'

/** A project with existing tools in `src/tools.ts`, whose design folder is empty, and whose packages are linked. */
export function moduleProject(packages: readonly string[], files: Readonly<Record<string, string>>): Project {
  return createProject({ ...settings, ...files }, packages)
}

const settings: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }\n',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      module: 'NodeNext',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      noUnusedLocals: true,
      skipLibCheck: true,
      outDir: 'dist',
      rootDir: '.',
    },
    include: ['design', 'gen', 'src'],
  }),
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/**/*.ts' })
`,
}
