import type { Catalogue } from './catalogue-entry.js'

/** What `toolgen serve` reports of the module that it serves. */
export const serveCatalogue: Catalogue = {
  TG7001: {
    title: 'The module to serve cannot be evaluated',
    cause:
      'The module, or something that it imports, has a syntax error, imports what is not there, or threw an error.',
    fix: 'Correct it at the place that is named. A function that the module exports is called, and may fail in the same way.',
  },
  TG7002: {
    title: 'The module to serve exports nothing to serve',
    cause: 'It has neither a default export nor an export `tools`, or what is exported there is undefined.',
    fix:
      'Export what is to be served, such as an agent of yours:\n\n' +
      '    import { Runtime } from "@toolgen/runtime"\n' +
      '    import { registerSupport } from "../gen/agents/support/index.js"\n\n' +
      '    export const tools = registerSupport(new Runtime(), { toolsets: { orders: { client } } })',
  },
  TG7003: {
    title: 'The module to serve exports something else',
    cause:
      'What it exports is neither a registration, a bound toolset or a bound agent, nor a list of these, nor an object with ' +
      'such a list as `toolsets`. Toolsets and agents of the design are none of these: they have nothing that runs them.',
    fix:
      'Export a registration, or what `registerToolset` or a generated `register...` function gives:\n\n' +
      '    export default {\n' +
      '      toolsets: [registerSupport(runtime, { toolsets: { orders: { client } } })],\n' +
      '      context: ({ mcpSession = "stdio" }) => ({ sessionId: mcpSession }),\n' +
      '    } satisfies ServedModule',
  },
  TG7004: {
    title: 'A registration of the module to serve is not complete',
    cause: 'The runtime refuses a registration: what it is given does not fit its toolset. Each fault is listed.',
    fix: 'Give it what it needs; the types of the generated registrations ask for the same.',
  },
  TG7005: {
    title: 'Two tools to serve have one name',
    cause: 'Clients call tools by their wire names, so one of the two could not be reached.',
    fix: 'Give one of them another wire name in the design, or rename it where an agent uses it, and serve the agent.',
  },
  TG7006: {
    title: 'The module to serve failed in the background',
    cause:
      'Something that the module had started (a timer, a promise that nobody awaits) threw an error that nobody caught, or ' +
      'its `close` did. What a tool throws is no such error: it fails its call alone.',
    fix: 'Catch the error where it begins.',
  },
  TG7007: {
    title: 'The module to serve ended the process',
    cause: 'It called process.exit, or awaits something that never comes while nothing else is left to do.',
    fix: 'Await only what comes, and leave the end to toolgen, which calls the `close` of what the module exports.',
  },
}
