import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPackageFromTarballData } from '@arethetypeswrong/core'
import { node, pnpm, root } from '../lib/run.mjs'
import { removeStale } from './stale-files.mjs'

/** The packages that are published, in the order in which they need each other. */
const published = ['dsl', 'runtime', 'codegen', 'studio', 'create-toolgen']

/**
 * Builds and packs the packages as a release does: pnpm writes versions in place of `workspace:*`. Resolves with each
 * one's manifest, tarball, and files by their paths in it.
 */
export async function pack(folder) {
  mkdirSync(folder, { recursive: true })
  if ((await node(['scripts/build.mjs'], { stdio: ['ignore', 2, 2] })) !== 0) throw new Error('The build failed.')
  for (const name of published) removeStale(join(root, 'packages', name))
  const filters = published.flatMap((name) => ['--filter', `./packages/${name}`])
  const args = ['-r', ...filters, '--config.ignore-scripts=true', 'pack', '--pack-destination', folder]
  // What pnpm tells of it is a long list, which nobody needs who has the tarballs.
  const log = join(folder, 'pack.log')
  const told = openSync(log, 'w')
  const code = await pnpm(args, { stdio: ['ignore', told, told] })
  closeSync(told)
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
