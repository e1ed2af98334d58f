"""Pictures of recorded episodes and animated GIFs: how many there are, what they show, and files written whole."""

import random

import pytest
from PIL import Image

from tressette_env import tressette_v0
from tressette_env.engine.game import Game
from tressette_env.errors import NotationError, TressetteError
from tressette_env.pictures import step_images, table_image, trick_images, write_gif

SIZE = (240, 200)


def record_of(rules, seed=3, episode="deal", plies=10**6):
    game, rng = Game(rules, seed=seed, episode=episode), random.Random(seed)
    while game.to_act >= 0 and len(game.actions) < plies:
        game.step(rng.choice(game.legal_actions()))
    return game.record(), game


def test_one_picture_per_action_and_the_last_is_the_end():
    record, game = record_of("mini_4p_12")
    images = list(step_images(record, size=SIZE))
    assert len(images) == len(record["actions"]) and {image.size for image in images} == {SIZE}
    assert len({image.tobytes() for image in images}) == len(images)
    assert images[-1].tobytes() == table_image(game.finished[-1][0], game.rules, None, SIZE).tobytes()


def test_one_picture_per_trick_and_one_of_the_end():
    record, _ = record_of("mini_4p_12")
    images = list(trick_images(record, 1, SIZE))
    assert len(images) == 3 + 1
    assert len({image.tobytes() for image in images}) == 4
    steps = list(step_images(record, 1, SIZE))
    assert [image.tobytes() for image in images[:2]] == [steps[i].tobytes() for i in (3, 7)]
    assert images[3].tobytes() == steps[-1].tobytes()


def test_every_deal_of_a_match_has_its_tricks_and_its_end():
    record, game = record_of({"preset": "mini_2p", "target": 5}, episode="match")
    assert len(record["results"]) > 1
    assert len(list(trick_images(record, size=SIZE))) == len(record["results"]) * (game.rules.num_tricks + 1)


def test_a_record_that_breaks_off_ends_with_the_table_as_it_stands():
    record, game = record_of("mini_4p_12", plies=6)
    images = list(trick_images(record, size=SIZE))
    assert len(images) == 2
    assert images[-1].tobytes() == table_image(game.states[0], game.rules, None, SIZE).tobytes()
    assert len(list(trick_images(record_of("mini_4p_12", plies=8)[0], size=SIZE))) == 2  # just after the second trick


def test_an_illegal_action_at_the_end_is_shown():
    env = tressette_v0.raw_env("mini_4p_12", illegal="terminate")
    env.reset(seed=1)
    env.step(env.legal_actions()[0])
    env.step(int(env.game.mask.argmin()))
    assert len(list(step_images(env.record(), size=SIZE))) == 2


def test_hidden_hands_stay_hidden():
    record, _ = record_of("mini_4p_12")
    first = {seat: next(step_images(record, seat, SIZE)).tobytes() for seat in (None, 0, 1)}
    assert len(set(first.values())) == 3


def test_a_record_that_does_not_fit_fails():
    record, _ = record_of("mini_4p_12")
    with pytest.raises(NotationError):
        list(step_images(record | {"checksum": "00000000"}, size=SIZE))
    with pytest.raises(TressetteError, match="is not the size of a picture"):
        next(trick_images(record, size=(1, 1)))


# ---------------------------------------------------------------- GIF
def test_gif_has_every_frame_and_loops(tmp_path):
    record, _ = record_of("mini_4p_12")
    path = tmp_path / "deal.gif"
    write_gif(path, step_images(record, size=SIZE), ms=300)
    with Image.open(path) as gif:
        assert gif.n_frames == len(record["actions"])
        assert gif.info["loop"] == 0 and gif.size == SIZE
        for frame in range(gif.n_frames):
            gif.seek(frame)
            assert gif.info["duration"] == 300
    assert [file.name for file in tmp_path.iterdir()] == ["deal.gif"]


def test_gif_looks_like_its_images(tmp_path):
    record, _ = record_of("mini_4p_12")
    images = list(trick_images(record, size=SIZE))
    write_gif(tmp_path / "deal.gif", images)
    with Image.open(tmp_path / "deal.gif") as gif:
        for place, image in enumerate(images):
            gif.seek(place)
            pairs = zip(gif.convert("RGB").tobytes(), image.tobytes(), strict=True)
            assert sum(abs(one - two) for one, two in pairs) / len(image.tobytes()) < 6


def test_equal_images_in_a_row_share_a_frame(tmp_path):
    one, two, *_ = step_images(record_of("mini_4p_12")[0], size=SIZE)
    write_gif(tmp_path / "slow.gif", [one, one.copy(), two], ms=200)
    with Image.open(tmp_path / "slow.gif") as gif:
        assert gif.n_frames == 2 and gif.info["duration"] == 400


def test_a_gif_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "deal.gif"
    path.write_bytes(b"before")

    def broken():
        yield Image.new("RGB", SIZE)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_gif(path, broken())
    assert path.read_bytes() == b"before" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(TressetteError, match="cannot write .*No such file"):
        write_gif(tmp_path / "absent" / "deal.gif", [Image.new("RGB", SIZE)])


def test_gif_arguments(tmp_path):
    with pytest.raises(TressetteError, match="there are no images to write: give at least one"):
        write_gif(tmp_path / "deal.gif", [])
    for ms in (0, 19, 1.5, True):
        with pytest.raises(TressetteError, match=f"ms = {ms} is not a time to show an image"):
            write_gif(tmp_path / "deal.gif", [Image.new("RGB", SIZE)], ms=ms)
