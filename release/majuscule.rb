# The formula of Homebrew: release/build.py fills in the words between @.
class Majuscule < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]
@ARCHIVES@

  def install
    bin.install "majuscule"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/majuscule.bash" => "majuscule"
    zsh_completion.install "completions/_majuscule"
    fish_completion.install "completions/majuscule.fish"
    doc.install "README.md", "CHANGELOG.md", "MODELS.md"
  end

  test do
    assert_equal "I live in London\n", pipe_output("#{bin}/majuscule restore", "i live in london\n")
  end
end
