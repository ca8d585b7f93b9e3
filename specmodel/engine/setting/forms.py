"""How what an engine wrote is shown: as a command line with its files, or as parts of a Kubernetes manifest."""

import json
import shlex

from specmodel.engine.setting.request import Written

FOLDER = "/etc/speculation"


def command_form(written: Written) -> str:
    """Text to paste into a shell: each file, then the command; or the text, where an engine has no command.

    >>> print(command_form(Written(("serve", "a model", "--config", "x.yaml"), {"x.yaml": "k: 3"})))
    cat > x.yaml <<'EOF'
    k: 3
    EOF
    serve 'a model' --config x.yaml
    """
    if not written.words:
        return written.text
    files = (f"cat > {name} <<'EOF'\n{content}\nEOF" for name, content in written.files.items())
    return "\n".join([*files, shlex.join(written.words)])


def kubernetes_form(written: Written) -> str | None:
    """The container's command and arguments in YAML, with a ConfigMap of the files; None without a command line.

    Kubernetes replaces `$(NAME)` in arguments, so that a `$(` of the text is doubled.

    >>> print(kubernetes_form(Written(("vllm", "serve", "model"))))
    # in the container of the server:
    command: ["vllm"]
    args:
      - "serve"
      - "model"
    """
    if not written.words:
        return None
    program, *arguments = (f"{FOLDER}/{word}" if word in written.files else word for word in written.words)
    lines = ["# in the container of the server:", f"command: [{_quoted(program)}]", "args:"]
    lines += [f"  - {_quoted(word.replace('$(', '$$('))}" for word in arguments]
    if written.files:
        lines += ["volumeMounts:", "  - name: speculation", f"    mountPath: {FOLDER}"]
        lines += ["---", "# in the pod:", "volumes:", "  - name: speculation", "    configMap:"]
        lines += ["      name: speculation", "---", "apiVersion: v1", "kind: ConfigMap", "metadata:"]
        lines += ["  name: speculation", "data:"]
        for name, content in written.files.items():
            lines += [f"  {name}: |", *(f"    {line}" for line in content.splitlines())]
    return "\n".join(lines)


def _quoted(word: str) -> str:
    """A word as a quoted scalar: what JSON writes is one of YAML too."""
    return json.dumps(word)
