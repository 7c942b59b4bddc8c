import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectFiles, projectNames } from '../../packages/codegen/src/cli/commands/init-files.js'
import { runInThread } from '../cli/command-thread.js'
import { plainEnvironment } from '../cli/project.fixture.js'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** How a program ended, and what it printed. */
interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project of a user, with the code of a document in it. */
export interface SnippetProject {
  write(path: string, text: string): void
  /** `toolgen generate`. */
  generate(): Ended
  /** Type-checks all and compiles it to `dist`. */
  compile(...flags: readonly string[]): Ended
  run(script: string): Ended
  remove(): void
}

const names = projectNames({ toolset: 'orders', agent: 'support', designFolder: 'design', outputFolder: 'gen' })

const settings: Readonly<Record<string, string>> = {
  // As strict as the project with which a reader begins.
  ...Object.fromEntries(
    projectFiles({ kind: 'service' }, names, '*')
      .filter(({ path }) => ['package.json', 'tsconfig.json', '.gitignore'].includes(path))
      .map(({ path, text }) => [path, text]),
  ),
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/orders.ts', output: 'gen' })`,
}

/** A new project with settings and these files, inside the workspace, so that packages resolve as they do for a user. */
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
  // Documents name the program of a server by its path.
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
