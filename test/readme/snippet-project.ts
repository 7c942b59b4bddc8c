import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectFiles, projectNames } from '../../packages/codegen/src/cli/commands/init-files.js'
import { runInThread } from '../cli/command-thread.js'
import { plainEnvironment } from '../cli/project.fixture.js'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** Result of a program. */
interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Project of a user with the code of a document. */
export interface SnippetProject {
  write(path: string, text: string): void
  /** Runs `toolgen generate`. */
  generate(): Ended
  /** Type-checks all files and compiles them to `dist`. */
  compile(...flags: readonly string[]): Ended
  run(script: string): Ended
  remove(): void
}

const names = projectNames({ toolset: 'orders', agent: 'support', designFolder: 'design', outputFolder: 'gen' })

const settings: Readonly<Record<string, string>> = {
  // The same strict options as in the project of `toolgen init`.
  ...Object.fromEntries(
    projectFiles({ kind: 'service' }, names, '*')
      .filter(({ path }) => ['package.json', 'tsconfig.json', '.gitignore'].includes(path))
      .map(({ path, text }) => [path, text]),
  ),
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/orders.ts', output: 'gen' })`,
}

/** Creates a project with these files inside the workspace, so that imports of the packages resolve as in the project of a user. */
export function snippetProject(files: Readonly<Record<string, string>>): SnippetProject {
  const folder = mkdtempSync(join(root, 'test/.out-readme-'))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const node = (...args: readonly string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  // Documents start servers with paths in `node_modules`.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'test/node_modules/@modelcontextprotocol'), join(folder, 'node_modules/@modelcontextprotocol'))
  for (const [path, text] of Object.entries({ ...settings, ...files })) write(path, text)
  return {
    write,
    generate() {
      const { code, stdout, stderr } = runInThread(['generate'], { cwd: folder, env: plainEnvironment() })
      return { status: code, stdout, stderr }
    },
    compile: (...flags) => node(join(root, 'node_modules/typescript-7/bin/tsc'), '-p', '.', ...flags),
    run: (script) => node(script),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
