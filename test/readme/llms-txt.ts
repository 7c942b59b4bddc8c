import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runnableCommands } from '../cli/cli-page.js'
import { exportsOf } from './exports-of.js'
import { root } from './snippet-project.js'

/** Packages with a file `llms.txt`. */
export const llmsPackages = ['dsl', 'codegen', 'runtime'] as const

/** Returns the text of `llms.txt` of a package, from its manifest, its sources and its README. */
export function llmsTxt(name: (typeof llmsPackages)[number]): string {
  const read = (file: string): string => readFileSync(join(root, 'packages', name, file), 'utf8')
  const manifest: { name: string; description: string } = JSON.parse(read('package.json'))
  const skill = 'skills/toolgen/SKILL.md'
  const lines = {
    dsl: () => [`\`@toolgen/dsl\`: ${valuesOf(name)}`],
    codegen: () => [`\`@toolgen/codegen\`: ${valuesOf(name)}`, `\`npx toolgen COMMAND --help\`: ${commandNames()}`],
    runtime: () => entriesOf(read('README.md')),
  }[name]()
  return `# ${manifest.name}

> ${manifest.description}.

- [Skill](${name === 'dsl' ? skill : `node_modules/@toolgen/dsl/${skill}`}): DSL, commands, frequent diagnostics
- [README](README.md)

## Contents

${lines.map((line) => `- ${line}`).join('\n')}
`
}

function valuesOf(name: string): string {
  const values = exportsOf(join(root, 'packages', name, 'src'), 'index.ts').filter(({ isType }) => !isType)
  return values
    .map((each) => `\`${each.name}\``)
    .sort()
    .join(', ')
}

const commandNames = (): string => [...runnableCommands().keys()].map((path) => path.replace('toolgen ', '')).join(', ')

/** Returns the entries of a package as its README lists them. */
function entriesOf(readme: string): readonly string[] {
  const [, section = ''] = /^## Entries\n\n([\s\S]*?)\n\n/m.exec(readme) ?? []
  return [...section.matchAll(/^- (.*)$/gm)].map(([, line = '']) => line)
}
