import { catalogue } from '../../packages/codegen/src/cli/catalogue.js'
import { ruleExamples, rules } from '../../packages/codegen/src/lint/lint-design.js'

type Rule = (typeof rules)[number]

const entries = new Map<string, (typeof catalogue)[`TG${number}`]>(Object.entries(catalogue))

const head = `# Lint

\`toolgen lint\` reports tools that are hard for models to use: missing descriptions, confusing names, large definitions, dangerous tools
without a confirmation, and schemas that a model provider does not support. [The command line](cli.md#toolgen-lint) lists its options.

\`\`\`sh
npx toolgen lint --reporter github
\`\`\`

It exits with code 6 if there is an error, or if there are more warnings than \`--max-warnings\` or the configuration accepts (default: 0).
\`toolgen explain unplumbed-id\` prints the text of a rule.

## Suppressing a rule

A rule can be wrong about a tool. Suppress it in the design, with a reason for reviewers:

\`\`\`ts
defineTool({
  description: 'Takes a reservation back; within an hour \`restore\` undoes it.',
  lint: { 'unconfirmed-mutation': 'can be undone for an hour' },
  // ...
})
\`\`\`

| \`lint\` of | applies to |
|---|---|
| a tool | the tool |
| a toolset | all its tools |
| an agent | the agent, and each tool if every agent that uses it suppresses the rule; also imported tools |

An entry without a reason is rejected. An entry with an unknown rule (TG8390) or without an effect (TG8391) is a warning.

The configuration sets levels for the whole project, and the model providers to check for:

\`\`\`ts
export default defineConfig({
  design: 'design/*.ts',
  lint: { rules: { 'missing-example': 'off', 'unclear-unit': 'error' }, vendors: ['openai'], maxWarnings: 10 },
})
\`\`\`

## Model providers

The rules for providers use the [formats](projections.md) of the project's installed runtime. A diagnostic shows the difference and the
sent schema, shortened in a terminal and complete as \`projected\` with \`--json\`. Without \`lint.vendors\` and \`--vendor\` all four are checked:
\`openai\`, \`anthropic\`, \`gemini\`, and \`mcp\` for the format of an MCP server. Set the ones that you use.

## Limits

The rules check words and schemas, not services. They only understand English names. A wrong description in good English passes.
\`slow-pattern\` tries some strings and does not find every slow pattern. Imported tools are checked like all others, if an agent
uses them. Change imported tools with \`importedToolset\`, or suppress the rule at the agents that use the tools.

This page is generated from the rules. A test compares them and runs every example.`

/** Returns `docs/lint.md`: how to suppress rules, and every rule with its reason and two examples. */
export function rulesPage(): string {
  const rows = rules.map((rule) => `| [${rule.id}](#${rule.id}) | ${rule.code} | ${entryOf(rule).title} |`)
  const table = ['## Rules', ['| rule | code | title |', '|---|---|---|', ...rows].join('\n')]
  return `${[head, ...table, ...rules.map(section)].join('\n\n')}\n`
}

function section(rule: Rule): string {
  const { title, cause, fix } = entryOf(rule)
  const { bad, good } = ruleExamples(rule.id)
  return `### ${rule.id}\n\n**${title}** (${rule.code})\n\n${cause}\n\nWhat to do: ${fix}\n\nReported:\n\n${code(bad)}\n\nNot reported:\n\n${code(good)}`
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``
}

function entryOf({ code: of }: Rule): { readonly title: string; readonly cause: string; readonly fix: string } {
  const entry = entries.get(of)
  if (entry === undefined) throw new Error(`the catalogue has no ${of}`)
  return entry
}
