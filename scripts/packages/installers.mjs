import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pnpmVersion, root } from '../lib/run.mjs'
import { captured } from './captured.mjs'

const pnpm = ['exec', '--yes', `pnpm@${pnpmVersion}`, '--']

/**
 * Functions that install the packages in a project `{ cwd, node, packed }`: npm and pnpm with the registry, and `links` without a network. `links`
 * copies the packed files and links the dependencies of this repository. `install` can be called again to add packages. `command` returns the command
 * line of a program of an installed package.
 */
export const installers = {
  npm: {
    install(project, dependencies) {
      writeManifest(project, dependencies)
      return captured('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], project)
    },
    command: (name) => ['npx', '--no', '--', name],
  },
  pnpm: {
    install(project, dependencies) {
      writeManifest(project, dependencies)
      // The overrides replace dependencies between the packages, because no registry has these versions.
      const overrides = project.packed.map(({ name, tarball }) => `  '${name}': 'file:${tarball}'\n`)
      write(join(project.cwd, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${overrides.join('')}`)
      return captured('npm', [...pnpm, 'install', '--no-frozen-lockfile', '--reporter=append-only'], project)
    },
    command: (name) => ['npm', ...pnpm, 'exec', name],
  },
  links: {
    install({ cwd, packed }, dependencies) {
      const modules = join(cwd, 'node_modules')
      for (const { name, files } of packed.filter((each) => !existsSync(join(modules, each.name)))) {
        for (const [path, text] of files) write(join(modules, name, path), text)
      }
      const needed = packed.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}))
      for (const name of [...Object.keys(dependencies), ...needed]) link(name, join(modules, name))
      return { code: 0, stdout: '', output: '' }
    },
    command: (name) => ['node', `node_modules/${name === 'toolgen' ? '@toolgen/codegen' : name}/bin/${name}.js`],
  },
}

function writeManifest({ cwd, packed }, dependencies) {
  const own = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const manifest = { private: true, type: 'module', dependencies: { ...own, ...dependencies } }
  write(join(cwd, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Links a package from one of the `node_modules` folders of this repository. */
function link(name, target) {
  if (existsSync(target)) return
  const places = ['packages/codegen', 'packages/studio', 'packages/runtime', 'packages/dsl', '.']
  const found = places.map((place) => join(root, place, 'node_modules', name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${name} is not installed in this repository`)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(realpathSync(found), target)
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
