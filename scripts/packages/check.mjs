import { join } from 'node:path'
import { entriesOf, missingTargets } from './entries.mjs'
import { useInFreshProject } from './fresh-project.mjs'
import { importCosts } from './import-costs.mjs'
import { attwFindings, publintFindings } from './lint.mjs'
import { nodeOf } from './nodes.mjs'
import { pack } from './pack.mjs'

/** Packs the packages into the folder and runs the chosen parts. Returns the measurements and problems. */
export async function checkPackages(folder, parts, log) {
  const tarballs = join(folder, 'tarballs')
  log(`Building and packing into ${tarballs}`)
  const packed = await pack(tarballs)
  const entries = packed.flatMap(entriesOf)
  const problems = packed.flatMap((each) => missingTargets(each).map((path) => `${each.name}: ${path} is not packed`))
  if (parts.includes('lint')) for (const each of packed) problems.push(...(await findings(each, log)))

  const projects = []
  const costs = new Map()
  const use = async (installer, major, node) => {
    log(`\n${installer}, Node ${major}`)
    const place = join(folder, `${installer}-${major}`)
    // Types do not depend on the version of Node, so the types of all entries are checked only once per installer.
    const isThorough = installer !== 'links' && projects.every((earlier) => earlier.installer !== installer)
    const options = { installer, node, folder: place, packed, entries, isThorough, log }
    const { project, steps } = useInFreshProject(options)
    const failed = steps.filter(({ ok }) => !ok)
    problems.push(...failed.map(({ name, output }) => `${installer}, Node ${major}, ${name}:\n${output}`))
    projects.push({ installer, node: major, ...times(steps), failed: failed.map(({ name }) => name).join(', '), steps })
    return project
  }
  if (parts.includes('links') || parts.includes('costs')) {
    const project = await use('links', Number(process.versions.node.split('.')[0]), process.execPath)
    const names = parts.includes('costs') ? entries.map(({ entry }) => entry) : []
    for (const { entry, ...cost } of importCosts(project, names)) costs.set(entry, cost)
  }
  for (const part of parts.filter((name) => /-\d+$/.test(name))) {
    const [installer, major] = part.split('-')
    await use(installer, Number(major), await nodeOf(Number(major)))
  }
  return {
    packages: packed.map(figures),
    entries: entries.map(({ bytes, ...entry }) => ({ ...entry, KiB: bytes / 1024, ...costs.get(entry.entry) })),
    projects,
    problems,
  }
}

async function findings(packed, log) {
  log(`publint and "are the types wrong": ${packed.name}`)
  const found = [...(await publintFindings(packed)), ...(await attwFindings(packed))]
  return found.map((finding) => `${packed.name}: ${finding}`)
}

function figures({ name, manifest, tarball, data, files }) {
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return {
    package: name,
    version: manifest.version,
    tarball,
    files: files.size,
    'packed KiB': data.length / 1024,
    'unpacked KiB': bytes / 1024,
    paths: [...files.keys()],
  }
}

function times(steps) {
  const sum = (some) => some.reduce((total, { seconds }) => total + seconds, 0)
  return { 'install s': sum(steps.filter(({ name }) => name === 'install')), 'all s': sum(steps) }
}
