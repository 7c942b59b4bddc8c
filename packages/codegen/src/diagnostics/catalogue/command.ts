import type { Catalogue } from './catalogue-entry.js'

/** What the command line itself reports. */
export const commandCatalogue: Catalogue = {
  TG0001: {
    title: 'The command line is not understood',
    cause: 'A command, an option or a value is unknown, missing or one too many.',
    fix: 'The commands and their options are listed by:\n\n    toolgen --help\n    toolgen generate --help',
  },
  TG0002: {
    title: 'toolgen init would overwrite files',
    cause: 'Some of the files to be written exist already. Nothing was written.',
    fix: 'Choose an empty folder or other names:\n\n    toolgen init --dir my-agent --toolset tickets',
  },
  TG0003: {
    title: 'There is no such diagnostic or rule',
    cause:
      'toolgen explain was asked for a code, or `toolgen lint --rule` for a rule, that this version does not know.',
    fix: 'Codes are written like TG5001: the letters TG and four digits. Rules are named like unplumbed-id; the finding lists those of lint.',
  },
  TG0004: {
    title: 'The design never came to its end',
    cause:
      'The process ended, or nothing was left to do, while a module of the design was still being evaluated: ' +
      ' it waits for something that never comes, or calls process.exit.',
    fix: 'Keep designs to definitions: no input, no output, no awaiting, no ending of the process.',
  },
  TG0005: {
    title: 'The design failed in the background',
    cause:
      'Something that a module of the design had started (a timer, a promise that nobody awaits) ' +
      'threw an error after the module was evaluated.',
    fix: 'Keep designs to definitions: no timers, no input or output, no promises left alone.',
  },
  TG0006: {
    title: 'toolgen init cannot write',
    cause: 'The operating system refused to make a folder or a file. What was made before was removed again.',
    fix: 'Make the folder writable, or choose another:\n\n    toolgen init --dir my-agent',
  },
  TG0007: {
    title: 'There is no current folder',
    cause: 'The folder in which the command was started was deleted, or may not be read.',
    fix: 'Change to the folder of the project and run the command again.',
  },
  TG0008: {
    title: 'The folder of --cwd does not exist',
    cause: '--cwd names the folder in which the command is to work. There is no such folder, or a file stands there.',
    fix: 'Correct the path, which is relative to the folder in which the command is started.',
  },
  TG0009: {
    title: 'A file to import cannot be read',
    cause:
      '--from names a file that is not there, may not be read, is larger than 64 MiB, or holds no JSON. `-` stands for ' +
      'standard input.',
    fix: 'Correct the path, which is relative to the folder in which the command works, or the JSON at the place that is told.',
  },
  TG0010: {
    title: 'An import would overwrite a file',
    cause:
      'Where the snapshot or the module of the toolset would go, a file stands that no import has written, or a module that ' +
      'was changed since, by hand or by a formatter: its head holds a hash of what follows. Nothing was written.',
    fix:
      'Choose another name or folder:\n\n    toolgen import mcp disk --dir design/imported --from tools.json\n\n' +
      'Where an agent uses the toolset, names and a selection can be given: `as`, `only`, `rename`. Descriptions and ' +
      'schemas stay those of what is imported; change them there. Exclude such modules from formatters. Then give up what stands there:\n\n    toolgen import mcp disk --from tools.json --force',
  },
  TG0011: {
    title: 'An import cannot write',
    cause:
      'The operating system refused to make a folder or a file. The snapshot and the module are written together or not ' +
      'at all.',
    fix: 'Make the folder writable, or choose another with --dir.',
  },
  TG0012: {
    title: 'A server does not tell its tools',
    cause: 'The server could not be started or reached, ended, or did not answer `tools/list` in time.',
    fix:
      'Start it by hand with the same words (`toolgen check` starts it in the folder of the configuration), or see whether ' +
      'Streamable HTTP is spoken at its address. Tools that were captured elsewhere can be imported from a file:\n\n' +
      '    toolgen import mcp files --from tools.json',
  },
  TG0013: {
    title: 'What MCP needs is not installed',
    cause:
      'Servers are asked, and tools are served, through `@toolgen/runtime/mcp` as the project has it, which stands on the ' +
      'official SDK, an optional dependency.',
    fix: 'Install both in the project:\n\n    npm install @toolgen/runtime @modelcontextprotocol/sdk',
  },
  TG0014: {
    title: 'A variable of an MCP server is not set',
    cause:
      '`${NAME}` in the command or the address of a server stands for a variable of the environment, so that snapshots ' +
      'hold no secrets. The variable is not set.',
    fix: 'Set it for the command, in CI as a secret of the repository:\n\n    API_KEY=... toolgen check --live',
  },
  TG0015: {
    title: 'Nobody knows where an MCP server is',
    cause:
      'The snapshot was imported from a file, or from a command or an address that seemed to hold a secret, and so does ' +
      'not say where its server is. It is an error where the toolset was named, and a warning where all were to be asked.',
    fix:
      'Say it once, or import again from the server itself:\n\n' +
      '    toolgen check --live files -- npx -y server .\n    toolgen import mcp files -- npx -y server .',
  },
  TG0016: {
    title: 'There is no module to serve',
    cause: 'The path of the module leads nowhere, or to a folder.',
    fix: 'Correct the path, which is relative to the folder in which the command works:\n\n    toolgen serve src/serve.ts',
  },
  TG0017: {
    title: 'Tools cannot be served at that place',
    cause:
      'The port is in use or reserved, the machine has no such address, or other machines could reach the server while ' +
      'nothing says under which names: then web pages could reach it too, under a name of their own.',
    fix:
      'Choose another port, or name the hosts:\n\n' +
      '    toolgen serve src/serve.ts --port 0\n' +
      '    toolgen serve src/serve.ts --host 0.0.0.0 --allowed-hosts tools.example.com',
  },
  TG0018: {
    title: 'The project cannot be watched',
    cause:
      'The operating system refused to tell of changes in a folder of the project, most often because it watches as many ' +
      'folders as it may: `generate --watch` watches each folder that holds an input or a generated file.',
    fix: 'Raise the limit, on Linux:\n\n    sudo sysctl fs.inotify.max_user_watches=524288',
  },
  TG0019: {
    title: 'A file or a folder cannot be reached',
    cause:
      'The operating system refused to read or write something that the command needs: no permission, a path that is too ' +
      'long, or symbolic links that lead in a circle.',
    fix: 'Give the user who runs toolgen access to it, or name another file or folder:\n\n    ls -ld design',
  },
  TG0020: {
    title: 'A file of yours stands where the catalogue would go',
    cause:
      'The file of --output was not written by `toolgen docs`, or was changed since: the head of a catalogue holds a hash of ' +
      'what follows. Nothing was written.',
    fix: 'Choose another file, or give up what stands there:\n\n    toolgen docs --output docs/tools.md --force',
  },
  TG0021: {
    title: 'The catalogue cannot be written',
    cause:
      'The operating system refused to make the folder or the file of --output. The file there, if any, is as it was.',
    fix: 'Make the folder writable, or print the catalogue:\n\n    toolgen docs > tools.md',
  },
  TG0037: {
    title: 'The forms of model vendors are not known',
    cause:
      '`toolgen lint` and `toolgen tokens` look at tools as they are sent to models, and ask the runtime that the project has ' +
      'installed for that. It is missing, or so old that it has no `@toolgen/runtime/projections`.',
    fix: 'Install it in the project:\n\n    npm install @toolgen/runtime\n\nLint works without vendors, too:\n\n    export default defineConfig({ design: "design/*.ts", lint: { vendors: [] } })',
  },
  TG0038: {
    title: 'Standard output cannot be written',
    cause:
      'The operating system refused what the command printed, for example because the disk is full to which it was sent. What ' +
      'arrived there is not complete.',
    fix: 'Make room, or print to somewhere else:\n\n    toolgen docs > /other/disk/tools.md',
  },
  TG9000: {
    title: 'A bug in toolgen',
    cause:
      'Something happened in toolgen that should not be possible. Nothing is wrong with your input because of this.',
    fix:
      'Please report it, with the output of the same command under TOOLGEN_DEBUG=1, which adds the stack:\n\n' +
      '    TOOLGEN_DEBUG=1 toolgen generate',
  },
}
