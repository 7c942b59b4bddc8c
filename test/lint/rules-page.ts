import { catalogue } from '../../packages/codegen/src/cli/catalogue.js'
import { ruleExamples, rules } from '../../packages/codegen/src/lint/lint-design.js'

type Rule = (typeof rules)[number]

const entries = new Map<string, (typeof catalogue)[`TG${number}`]>(Object.entries(catalogue))

const head = `# Lint

\`toolgen lint\` looks at a design for what makes tools hard to use for models: what they are not told, what they mix up, what costs
much, what nobody should let them do alone, and what a vendor does not take. [The command line](cli.md#toolgen-lint) has its
options.

\`\`\`sh
npx toolgen lint --reporter github
\`\`\`

It exits with 6 where there is a finding of level \`error\`, or more warnings than are accepted: none, or as many as
\`--max-warnings\` or the configuration says. \`toolgen explain unplumbed-id\` prints what is here of a rule.

## Where a rule does not count

A rule can be wrong about a tool. Say so in the design, with the reason, which reviewers read:

\`\`\`ts
defineTool({
  description: 'Takes a reservation back; within an hour \`restore\` undoes it.',
  lint: { 'unconfirmed-mutation': 'can be undone for an hour' },
  // ...
})
\`\`\`

| on | counts for |
|---|---|
| a tool | what is found of the tool |
| a toolset | all its tools |
| an agent | the agent, and each tool of which every agent that uses it says so: also tools that were imported |

An entry without a reason is refused. One that names no rule is a finding (TG8390), and so is one that silences nothing (TG8391); both
count as warnings.

For all of a project the configuration has levels, and says which vendors matter:

\`\`\`ts
export default defineConfig({
  design: 'design/*.ts',
  lint: { rules: { 'missing-example': 'off', 'unclear-unit': 'error' }, vendors: ['openai'], maxWarnings: 10 },
})
\`\`\`

## What is sent to vendors

The rules of vendors ask the runtime that the project has installed for the [forms](projections.md) in which it sends the tools.
A finding shows what differs and the schema that is sent, cut in a terminal and whole under \`projected\` with \`--json\`. Without
\`lint.vendors\` and \`--vendor\` all four are asked: \`openai\`, \`anthropic\`, \`gemini\`, and \`mcp\` for the form in which an MCP server
lists them. Name yours, so that the others say nothing.

## What it does not say

The rules know words and schemas, and no service. A tool that says in good English what it does not do passes. Names are
understood where they are English. \`slow-pattern\` finds slow texts by trying some, and not all. What was imported from an MCP server, an OpenAPI document or descriptions of functions is judged
as what a design says is, as far as an agent has it: a tool that \`only\` leaves out no model sees. Modules of imports are not edited;
change it where it comes from, or give a reason at the agents that use it.

The page is made from the rules; a test compares them, and runs every example.`

/** `docs/lint.md`: how findings are silenced, then every rule with its reason and an example of what it finds and what not. */
export function rulesPage(): string {
  const rows = rules.map((rule) => `| [${rule.id}](#${rule.id}) | ${rule.code} | ${entryOf(rule).title} |`)
  const table = ['## Rules', ['| rule | code | |', '|---|---|---|', ...rows].join('\n')]
  return `${[head, ...table, ...rules.map(section)].join('\n\n')}\n`
}

function section(rule: Rule): string {
  const { title, cause, fix } = entryOf(rule)
  const { bad, good } = ruleExamples(rule.id)
  return `### ${rule.id}\n\n**${title}** (${rule.code})\n\n${cause}\n\nWhat to do: ${fix}\n\nFound:\n\n${code(bad)}\n\nNot found:\n\n${code(good)}`
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``
}

function entryOf({ code: of }: Rule): { readonly title: string; readonly cause: string; readonly fix: string } {
  const entry = entries.get(of)
  if (entry === undefined) throw new Error(`the catalogue has no ${of}`)
  return entry
}
