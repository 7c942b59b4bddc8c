import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPackageFromTarballData } from '@arethetypeswrong/core'
import { node, pnpm, root } from '../lib/run.mjs'
import { removeStale } from './stale-files.mjs'

/** The published packages. Each package follows the packages that it depends on. */
const published = ['dsl', 'runtime', 'codegen', 'studio', 'create-toolgen']

/**
 * Builds and packs the packages like a release: pnpm replaces `workspace:*` by versions. Resolves with the manifest, the tarball and the files of
 * each package.
 */
export async function pack(folder) {
  mkdirSync(folder, { recursive: true })
  if ((await node(['scripts/build.mjs'], { stdio: ['ignore', 2, 2] })) !== 0) throw new Error('The build failed.')
  for (const name of published) removeStale(join(root, 'packages', name))
  const filters = published.flatMap((name) => ['--filter', `./packages/${name}`])
  const args = ['-r', ...filters, '--config.ignore-scripts=true', 'pack', '--pack-destination', folder]
  // A log file, because pnpm prints every file of every tarball.
  const log = join(folder, 'pack.log')
  const output = openSync(log, 'w')
  const code = await pnpm(args, { stdio: ['ignore', output, output] })
  closeSync(output)
  if (code !== 0) throw new Error(`pnpm pack ended with ${code}\n${readFileSync(log, 'utf8')}`)
  return published.map((name) => packedPackage(name, folder))
}

function packedPackage(name, folder) {
  const { version } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
  const tarball = join(folder, `${name === 'create-toolgen' ? name : `toolgen-${name}`}-${version}.tgz`)
  const data = readFileSync(tarball)
  const inside = createPackageFromTarballData(new Uint8Array(data))
  const prefix = `/node_modules/${inside.packageName}/`
  const files = new Map(
    inside
      .listFiles()
      .sort()
      .map((path) => [path.slice(prefix.length), inside.readFile(path)]),
  )
  return { name: inside.packageName, manifest: JSON.parse(files.get('package.json')), tarball, data, inside, files }
}
