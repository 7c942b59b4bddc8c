// `npm run docs [-- --serve | --json]`: builds the documentation site from README.md and docs to the folder `site`. With `--serve`, serves the site
// and updates it when a page changes. With `--json`, prints pages and sidebar, and installs nothing.
import { watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { node, root } from './lib/run.mjs'
import { brokenAnchors } from './site/anchors.mjs'
import { installSite, siteFolder, writePages } from './site/install.mjs'
import { sitePages } from './site/pages.mjs'

const { serve, json, base, port } = args()
if (json) {
  console.log(JSON.stringify(sitePages()))
} else {
  await installSite()
  writePages(sitePages().pages)
  process.env.TOOLGEN_DOCS_BASE = base
  process.exit(serve ? await serveSite() : await buildSite())
}

async function buildSite() {
  const code = await vitepress('build')
  if (code !== 0) return code
  const broken = brokenAnchors(join(root, 'site'), base)
  for (const { page, link } of broken) console.error(`site/${page}: the heading of the link ${link} does not exist`)
  if (broken.length > 0) return 1
  console.log('Built the folder site. Serve it with any static file server, or run: npm run docs -- --serve')
  return 0
}

function serveSite() {
  // Watches folders, because many editors replace a file to save it.
  for (const folder of [root, join(root, 'docs')]) watch(folder, (_event, name) => /\.md$/.test(name ?? '') && update())
  return vitepress('dev', '--port', port)
}

function update() {
  try {
    writePages(sitePages().pages)
  } catch (error) {
    console.error(error.message)
  }
}

function vitepress(...command) {
  return node([join(siteFolder, 'node_modules/vitepress/bin/vitepress.js'), ...command], { cwd: siteFolder })
}

function args() {
  try {
    return parseArgs({
      options: {
        serve: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        base: { type: 'string', default: '/' },
        port: { type: 'string', default: '5173' },
      },
    }).values
  } catch (error) {
    console.error(`${error.message}\nusage: npm run docs [-- --base /PATH/ | --serve [--port N] | --json]`)
    process.exit(2)
  }
}
